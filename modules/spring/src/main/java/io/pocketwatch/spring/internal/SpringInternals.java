// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.internal;

import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.config.AbstractRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.config.BaseRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.amqp.rabbit.connection.AbstractRoutingConnectionFactory;
import org.springframework.amqp.rabbit.connection.RabbitAccessor;
import org.springframework.amqp.rabbit.core.BatchingRabbitTemplate;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.DirectMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.adapter.AbstractAdaptableMessageListener;
import org.springframework.amqp.rabbit.listener.adapter.HandlerAdapter;
import org.springframework.amqp.rabbit.listener.adapter.MessagingMessageListenerAdapter;
import org.springframework.util.ReflectionUtils;

/**
 * The members of Spring AMQP used here that are not public API, and why. A test looks them up, and
 * fails with a version of Spring AMQP that is not in {@link #SEEN_IN}.
 */
@SuppressWarnings({"deprecation", "removal"}) // the adapter, where it was before 4.1
public enum SpringInternals {
  ADVICE_CHAIN(
      AbstractMessageListenerContainer.class,
      "getAdviceChain()",
      "ours go around the advices that are there; there is a public setter only"),
  PREFETCH_COUNT(
      AbstractMessageListenerContainer.class,
      "getPrefetchCount()",
      "a listener that acknowledges may collect as many messages"),
  CONTAINER_CONNECTIONS(
      RabbitAccessor.class,
      "connectionFactory",
      "the getter of a container answers with the target of a routing one"),
  BATCH_SIZE(
      SimpleMessageListenerContainer.class,
      "batchSize",
      "so many messages are acknowledged as one"),
  BATCHING_STRATEGY(
      BatchingRabbitTemplate.class,
      "batchingStrategy",
      "a template in place of one that batches goes on as it does"),
  BATCHING_SCHEDULER(
      BatchingRabbitTemplate.class,
      "scheduler",
      "a template in place of one that batches goes on as it does"),
  MESSAGES_PER_ACK(
      DirectMessageListenerContainer.class,
      "messagesPerAck",
      "so many messages are acknowledged as one"),
  LISTENER_HANDLER(
      MessagingMessageListenerAdapter.class,
      "getHandlerAdapter()",
      "it leads to the method of a @RabbitListener, which may be @Transactional"),
  HANDLER_BEAN(
      HandlerAdapter.class,
      "getBean()",
      "public, but its class has another package from Spring AMQP 4.1 on"),
  HANDLER_METHOD(
      HandlerAdapter.class,
      "getMethodFor()",
      "public, but its class has another package from Spring AMQP 4.1 on"),
  CONTAINER_CUSTOMIZER(
      AbstractRabbitListenerContainerFactory.class,
      "containerCustomizer",
      "ours goes behind the one that is there; there is a setter only"),
  FACTORY_CONNECTIONS(
      AbstractRabbitListenerContainerFactory.class,
      "connectionFactory",
      "confirms of that one are off if the factory's containers are transacted"),
  FACTORY_TRANSACTED(
      AbstractRabbitListenerContainerFactory.class,
      "channelTransacted",
      "channels that are transacted exclude confirms; there is a setter only"),
  FACTORY_REPLIES(
      BaseRabbitListenerContainerFactory.class,
      "beforeSendReplyPostProcessors",
      "ours goes behind those that are there; there is a setter only"),
  LISTENER_REPLIES(
      AbstractAdaptableMessageListener.class,
      "beforeSendReplyPostProcessors",
      "ours goes behind those that are there; the getter is new in Spring AMQP 4.0"),
  ADDRESSES(
      AbstractConnectionFactory.class,
      "getAddresses()",
      "the publisher connects to where the application does"),
  DEFAULT_TARGET(
      AbstractRoutingConnectionFactory.class,
      "defaultTargetConnectionFactory",
      "its broker holds what is delayed; there is a setter only"),
  SEND_REPLY(
      RabbitTemplate.class,
      "sendReply()",
      "the half of receiveAndReply that follows the receiving, which looks for tracked messages");

  /** The versions of Spring AMQP in which each entry was found. */
  public static final Set<String> SEEN_IN = Set.of("3.2", "4.0", "4.1");

  private static final Map<SpringInternals, Member> FOUND = new ConcurrentHashMap<>();

  private final Class<?> type;
  private final String name;
  private final String why;

  SpringInternals(Class<?> type, String name, String why) {
    this.type = type;
    this.name = name;
    this.why = why;
  }

  /** Whether the object is of the class that has this member. */
  public boolean isIn(Object target) {
    return type.isInstance(target);
  }

  /**
   * The value of the field, or the result of the method. The method's exceptions are thrown on, a
   * checked one as the cause of an {@link java.lang.reflect.UndeclaredThrowableException}.
   *
   * @throws IllegalStateException if this version of Spring AMQP does not have it
   */
  public @Nullable Object of(Object target, @Nullable Object... arguments) {
    return find() instanceof Field field
        ? ReflectionUtils.getField(field, target)
        : ReflectionUtils.invokeMethod((Method) find(), target, arguments);
  }

  /**
   * Copies every setting of a template to another, whether or not it has a getter. A setting that
   * {@code taken} has taken over is not copied.
   */
  public static void copySettings(RabbitTemplate from, RabbitTemplate to, Taking taken) {
    ReflectionUtils.doWithFields(
        RabbitTemplate.class,
        field -> {
          ReflectionUtils.makeAccessible(field);
          Object setting = field.get(from);
          if (!taken.takes(field.getName(), setting)) {
            field.set(to, setting);
          }
        },
        ReflectionUtils.COPYABLE_FIELDS);
  }

  /** Takes over single settings. */
  @FunctionalInterface
  public interface Taking {
    /** Whether the setting was taken over, so that it is not copied. */
    boolean takes(String name, @Nullable Object setting);
  }

  /**
   * Replaces one object by another in every field of a holder.
   *
   * @return whether there was such a field
   */
  public static boolean replace(Object holder, Object former, Object latter) {
    boolean[] found = new boolean[1];
    ReflectionUtils.doWithFields(
        holder.getClass(),
        field -> {
          ReflectionUtils.makeAccessible(field);
          if (field.get(holder) == former) {
            field.set(holder, latter);
            found[0] = true;
          }
        },
        field -> !Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive());
    return found[0];
  }

  /**
   * Looks the member up.
   *
   * @throws IllegalStateException if this version of Spring AMQP does not have it
   */
  public Member find() {
    return FOUND.computeIfAbsent(this, SpringInternals::look);
  }

  private Member look() {
    if (name.endsWith("()")) {
      String called = name.substring(0, name.length() - 2);
      Method method = ReflectionUtils.findMethod(type, called, (Class<?>[]) null);
      if (method != null) {
        ReflectionUtils.makeAccessible(method);
        return method;
      }
    } else {
      Field field = ReflectionUtils.findField(type, name);
      if (field != null) {
        ReflectionUtils.makeAccessible(field);
        return field;
      }
    }
    throw new IllegalStateException(
        "This version of Spring AMQP has no %s.%s, which Pocketwatch needs: %s. It is made for %s"
            .formatted(type.getSimpleName(), name, why, SEEN_IN));
  }
}
