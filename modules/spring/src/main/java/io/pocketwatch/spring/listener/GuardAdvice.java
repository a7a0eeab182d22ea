// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Channel;
import io.pocketwatch.guard.GuardedChannel;
import io.pocketwatch.guard.GuardedDelivery;
import io.pocketwatch.spring.listener.Defer.DeferException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageListener;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.RoutingConnectionFactory;
import org.springframework.amqp.rabbit.connection.SimpleResourceHolder;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.InfrastructureProxy;

/**
 * The first of a container's advices. It cleans messages for the other advices and the listener. It
 * tells the guard how each delivery ended where the container's acknowledgement does not. A
 * recoverer may have swallowed a failure, and the container requeues failed messages.
 */
final class GuardAdvice implements MethodInterceptor {
  private final AbstractMessageListenerContainer container;
  private final String namePrefix;
  private final BooleanSupplier hasStore;
  private final @Nullable ConnectionFactory known;

  /**
   * @param hasStore whether tracked messages can be settled; asked for each delivery
   */
  GuardAdvice(
      AbstractMessageListenerContainer container, String namePrefix, BooleanSupplier hasStore) {
    this.container = container;
    this.namePrefix = namePrefix;
    this.hasStore = hasStore;
    this.known = ContainerSettings.connectionFactory(container);
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    @Nullable Object[] arguments = invocation.getArguments();
    if (arguments.length != 2
        || !(arguments[0] instanceof Channel channel)
        || !(invocation instanceof ProxyMethodInvocation proxied)) {
      return invocation.proceed();
    }
    List<Message> arrived = messages(arguments[1]);
    if (arrived.isEmpty()) {
      return invocation.proceed();
    }
    if (!(channel instanceof GuardedChannel) && hasStore.getAsBoolean()) {
      TransactedContainer.refuseTracked(container, arrived);
    }
    Map<Long, GuardedDelivery> deliveries = new LinkedHashMap<>(); // the parts of a batch share one
    List<Message> clean = new ArrayList<>();
    List<DeliveryInProgress> inProgress = new ArrayList<>();
    for (Message one : arrived) {
      long tag = one.getMessageProperties().getDeliveryTag();
      GuardedDelivery delivery =
          deliveries.computeIfAbsent(tag, wanted -> delivery(channel, wanted));
      Duration lateness = delivery == null ? null : delivery.lateness().orElse(null);
      Message cleaned = ReceivedDelays.cleanCopy(one, namePrefix, lateness);
      clean.add(cleaned);
      inProgress.add(new DeliveryInProgress(cleaned, delivery));
    }
    MessageListener listener = container.getMessageListener();
    if (listener != null && listener.isAsyncReplies()) { // its adapter requeues failures for ever
      deliveries.values().forEach(GuardedDelivery::requeueMeansFailed);
    }
    proxied.setArguments(channel, arguments[1] instanceof List ? clean : clean.get(0));
    ListenerAttempts attempts = new ListenerAttempts(inProgress);
    attempts.attachTo(proxied);
    return proceed(proxied, attempts, List.copyOf(deliveries.values()), arrived, clean);
  }

  private @Nullable Object proceed(
      ProxyMethodInvocation invocation,
      ListenerAttempts attempts,
      List<GuardedDelivery> deliveries,
      List<Message> arrived,
      List<Message> clean)
      throws Throwable {
    boolean all = true;
    for (GuardedDelivery each : deliveries) {
      all &= each.started();
    }
    if (!all) { // their connection is lost, and they come again: here or elsewhere
      deliveries.forEach(each -> each.returned(true));
      return null;
    }
    Object result;
    try (Routed routed = Routed.as(known)) {
      result = invocation.proceed();
    } catch (Throwable e) {
      if (clean.get(0).getMessageProperties().isFinalRetryForMessageWithNoId()) { // of the copy
        arrived.get(0).getMessageProperties().setFinalRetryForMessageWithNoId(true);
      }
      Throwable problem = problem(attempts, e);
      if (problem != null) {
        deliveries.forEach(each -> each.failed(problem));
      }
      deliveries.forEach(each -> each.returned(true));
      throw e;
    }
    DeferException deferred = attempts.deferred();
    if (deferred != null) {
      deliveries.forEach(deferred::answer);
      deliveries.forEach(each -> each.returned(true));
      if (deliveries.isEmpty()) { // not guarded: acknowledged, it would be lost
        throw deferred;
      }
      return result;
    }
    Throwable swallowed = attempts.swallowed();
    if (swallowed != null) {
      Throwable problem = ExceptionChain.listeners(swallowed);
      deliveries.forEach(each -> each.failed(problem));
    }
    deliveries.forEach(each -> each.returned(false));
    return result;
  }

  /**
   * Binds the container's lookup key for the user's routing connection factory too, which the
   * listener's templates ask. The container itself binds it for ours only.
   */
  private record Routed(@Nullable Object bound) implements AutoCloseable {
    static Routed as(@Nullable ConnectionFactory known) {
      if (known instanceof RoutingConnectionFactory && known instanceof InfrastructureProxy ours) {
        Object users = ours.getWrappedObject();
        Object key = SimpleResourceHolder.get(known);
        if (key != null && !SimpleResourceHolder.has(users)) {
          SimpleResourceHolder.bind(users, key);
          return new Routed(users);
        }
      }
      return new Routed(null);
    }

    @Override
    public void close() {
      if (bound != null) {
        SimpleResourceHolder.unbind(bound);
      }
    }
  }

  private static @Nullable GuardedDelivery delivery(Channel channel, long tag) {
    return channel instanceof GuardedChannel guarded ? guarded.delivery(tag).orElse(null) : null;
  }

  /** Why the work is not done; null if it is, or if the row is to stay as it was. */
  private @Nullable Throwable problem(ListenerAttempts attempts, Throwable thrown) {
    Throwable listeners = attempts.lastFailure();
    if (ExceptionChain.asksForRequeue(thrown)) {
      return null;
    }
    if (ExceptionChain.asksForAcknowledgement(
        thrown)) { // a stateful retry's recoverer throws it, too
      return listeners != null && ExceptionChain.asksForAcknowledgement(listeners)
          ? null
          : ExceptionChain.listeners(listeners == null ? thrown : listeners);
    }
    return ExceptionChain.listeners(thrown);
  }

  private static List<Message> messages(@Nullable Object data) {
    if (data instanceof Message message) {
      return List.of(message);
    }
    return data instanceof List<?> list
        ? list.stream().filter(Message.class::isInstance).map(Message.class::cast).toList()
        : List.of();
  }
}
