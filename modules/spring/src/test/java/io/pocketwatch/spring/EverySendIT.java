// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import io.pocketwatch.testkit.BrokerExtension;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.amqp.core.Address;
import org.springframework.amqp.core.DirectExchange;
import org.springframework.amqp.core.Exchange;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.core.MessagePostProcessor;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.core.ReceiveAndReplyCallback;
import org.springframework.amqp.core.ReceiveAndReplyMessageCallback;
import org.springframework.amqp.core.ReplyToAddressCallback;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.core.RabbitOperations.OperationsCallback;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.amqp.support.converter.SimpleMessageConverter;
import org.springframework.amqp.support.converter.SmartMessageConverter;
import org.springframework.core.ParameterizedTypeReference;

/**
 * Calls every public method of {@code RabbitTemplate} that sends, found by reflection, and takes
 * the time until its message arrives. A release of Spring that adds a method fails here.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EverySendIT {
  private static final Duration DELAY = Duration.ofMillis(80);
  private static final String BY_CONVERTER = "delayed by the converter";

  private static final Set<String> SENDING =
      Set.of(
          "send",
          "convertAndSend",
          "correlationConvertAndSend",
          "sendAndReceive",
          "convertSendAndReceive",
          "convertSendAndReceiveAsType",
          "receiveAndReply",
          "doSend",
          "invoke");

  /** They send nothing. {@code execute} gives a channel to the caller, who sends as he likes. */
  private static final Set<String> UNTOUCHED =
      Set.of(
          ("addConsumerArg addListener afterPropertiesSet containerAckMode destroy execute"
                  + " expectedQueueNames handleConfirm handleReturn nullSafeExchange"
                  + " nullSafeRoutingKey onMessage onMessageBatch receive receiveAndConvert"
                  + " removeConsumerArg revoke start stop waitForConfirms waitForConfirmsOrDie")
              .split(" "));

  private static final Set<String> ACCESSORS =
      Set.of("get", "set", "is", "addBefore", "removeBefore", "addAfter", "removeAfter");

  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  private final BlockingQueue<Arrived> arrivals = new LinkedBlockingQueue<>();
  private SpringWorld world;
  private DelayedRabbitTemplate template;
  private RabbitTemplate plain;
  private SimpleMessageListenerContainer replier;
  private Exchange exchange;
  private String requests;

  @BeforeAll
  void open() {
    world = new SpringWorld(BROKER.connectionFactory());
    exchange = world.declare(new DirectExchange("every-send"));
    String queue = world.bound(exchange, "key");
    requests = world.queue("requests");
    plain = new RabbitTemplate(world.connections);
    template = new DelayedRabbitTemplate(world.connections, world.publisher());
    template.setExchange(exchange.getName());
    template.setRoutingKey("key");
    template.setDefaultReceiveQueue(requests);
    template.setMessageConverter(new DelayingConverter());
    template.setReceiveTimeout(5_000);
    replier = new SimpleMessageListenerContainer(world.connections);
    replier.setQueueNames(queue);
    replier.setMessageListener(this::arrived);
    replier.start();
  }

  @AfterAll
  void close() throws Exception {
    replier.stop();
    template.stop();
    world.close();
  }

  @BeforeEach
  void forget() {
    arrivals.clear();
  }

  private void arrived(Message message) {
    arrivals.add(new Arrived(message, System.nanoTime()));
    Address replyTo = message.getMessageProperties().getReplyToAddress();
    if (replyTo != null) {
      MessageProperties properties = new MessageProperties();
      properties.setCorrelationId(message.getMessageProperties().getCorrelationId());
      properties.setContentType("text/plain");
      plain.send(
          replyTo.getExchangeName(),
          replyTo.getRoutingKey(),
          new Message("reply".getBytes(), properties));
    }
  }

  static Stream<Method> methods() {
    return Arrays.stream(RabbitTemplate.class.getMethods())
        .filter(method -> method.getDeclaringClass() != Object.class)
        .filter(method -> !Modifier.isStatic(method.getModifiers()) && !method.isBridge());
  }

  static Stream<Method> sendingMethods() {
    return methods()
        .filter(method -> SENDING.contains(method.getName()))
        .sorted(Comparator.comparing(Method::toString));
  }

  @Test
  void no_method_is_unknown() {
    Predicate<String> accessor = name -> ACCESSORS.stream().anyMatch(name::startsWith);
    assertThat(methods().map(Method::getName).filter(accessor.negate()).distinct())
        .as("new in this release of Spring: does it send?")
        .allMatch(name -> SENDING.contains(name) || UNTOUCHED.contains(name));
  }

  @ParameterizedTest
  @MethodSource("sendingMethods")
  void its_message_arrives_after_the_delay(Method method) throws Exception {
    boolean replies = method.getName().endsWith("AndReply");
    if (replies) {
      MessageProperties request = new MessageProperties();
      request.setReplyToAddress(new Address(exchange.getName(), "key"));
      plain.send("", requests, new Message("request".getBytes(), request));
    }
    long began = System.nanoTime();
    Object result;
    if (method.getName().equals("doSend")) {
      result = template.execute(channel -> call(method, channel));
    } else {
      result = call(method, null);
    }
    Arrived arrived = arrivals.poll(10, TimeUnit.SECONDS);
    assertThat(arrived).as("arrival").isNotNull();
    assertThat(Duration.ofNanos(arrived.at - began)).isGreaterThanOrEqualTo(DELAY);
    assertThat(arrived.message.getMessageProperties().getReceivedDelayLong())
        .isEqualTo(DELAY.toMillis());
    if (method.getName().contains("AndReceive")) {
      assertThat(result instanceof Message reply ? new String(reply.getBody()) : result)
          .isEqualTo("reply");
    } else if (replies) {
      assertThat(result).isEqualTo(true);
    }
  }

  private Object call(Method method, Channel channel) {
    List<Object> arguments = new ArrayList<>();
    boolean postProcessed =
        List.of(method.getParameterTypes()).contains(MessagePostProcessor.class);
    int names = (int) Stream.of(method.getParameterTypes()).filter(String.class::equals).count();
    int seen = 0;
    for (Class<?> type : method.getParameterTypes()) {
      if (type == String.class) {
        arguments.add(name(method, names, seen++));
      } else {
        arguments.add(argument(type, channel, postProcessed));
      }
    }
    try {
      return method.invoke(template, arguments.toArray());
    } catch (InvocationTargetException e) {
      throw new AssertionError(e.getCause());
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  /** What the nth of so many texts means, by Spring's conventions. */
  private String name(Method method, int names, int index) {
    if (method.getName().equals("receiveAndReply") && names % 2 == 1 && index == 0) {
      return requests;
    }
    boolean exchangeFirst = names % 2 == 1 && names > 1 ? index == 1 : names == 2 && index == 0;
    return exchangeFirst ? exchange.getName() : "key";
  }

  private Object argument(Class<?> type, Channel channel, boolean postProcessed) {
    if (type == Message.class) {
      return delayed();
    } else if (type == Object.class) {
      return postProcessed ? "payload" : BY_CONVERTER;
    } else if (type == MessagePostProcessor.class) {
      return Delayed.delay(DELAY);
    } else if (type == CorrelationData.class) {
      return new CorrelationData();
    } else if (type == Channel.class) {
      return channel;
    } else if (type == boolean.class) {
      return true;
    } else if (type == ParameterizedTypeReference.class) {
      return new ParameterizedTypeReference<String>() {};
    } else if (type == ReceiveAndReplyCallback.class) {
      return (ReceiveAndReplyMessageCallback) request -> delayed();
    } else if (type == ReplyToAddressCallback.class) {
      return (ReplyToAddressCallback<Object>)
          (request, reply) -> new Address(exchange.getName(), "key");
    } else if (type == OperationsCallback.class) {
      return (OperationsCallback<Object>)
          operations -> {
            operations.send(exchange.getName(), "key", delayed());
            return null;
          };
    } else if (type == com.rabbitmq.client.ConfirmCallback.class) {
      return (com.rabbitmq.client.ConfirmCallback) (tag, multiple) -> {};
    }
    throw new AssertionError("what is to be given for a parameter of " + type + "?");
  }

  private static Message delayed() {
    return MessageBuilder.withBody("payload".getBytes())
        .setContentType("text/plain")
        .setHeader("x-delay", DELAY.toMillis())
        .build();
  }

  private record Arrived(Message message, long at) {}

  private static final class DelayingConverter extends SimpleMessageConverter
      implements SmartMessageConverter {
    @Override
    protected Message createMessage(Object object, MessageProperties properties) {
      if (BY_CONVERTER.equals(object)) {
        properties.setDelayLong(DELAY.toMillis());
      }
      return super.createMessage(object, properties);
    }

    @Override
    public Object fromMessage(Message message, Object hint) {
      return fromMessage(message);
    }
  }
}
