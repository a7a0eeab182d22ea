// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.testkit.BrokerExtension;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.amqp.core.Address;
import org.springframework.amqp.core.DirectExchange;
import org.springframework.amqp.core.Exchange;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.AsyncRabbitTemplate;
import org.springframework.amqp.rabbit.batch.SimpleBatchingStrategy;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.core.RabbitMessagingTemplate;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.amqp.support.AmqpHeaders;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Templates that stand on a template, and one that batches. */
@Tag("wide")
class NeighbourTemplatesIT {
  private static final Duration DELAY = Duration.ofMillis(250);

  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  private final BlockingQueue<Message> arrivals = new LinkedBlockingQueue<>();
  private SpringWorld world;
  private DelayedRabbitTemplate template;
  private SimpleMessageListenerContainer consumer;
  private String exchange;

  @BeforeEach
  void open() {
    world = new SpringWorld(BROKER.connectionFactory());
    Exchange declared = world.declare(new DirectExchange("neighbours"));
    exchange = declared.getName();
    String queue = world.bound(declared, "key");
    template = new DelayedRabbitTemplate(world.connections, world.publisher());
    RabbitTemplate replies = new RabbitTemplate(world.connections);
    consumer = new SimpleMessageListenerContainer(world.connections);
    consumer.setQueueNames(queue);
    consumer.setMessageListener(
        message -> {
          arrivals.add(message);
          Address replyTo = message.getMessageProperties().getReplyToAddress();
          if (replyTo != null) {
            MessageProperties reply = new MessageProperties();
            reply.setContentType("text/plain");
            reply.setCorrelationId(message.getMessageProperties().getCorrelationId());
            replies.send("", replyTo.getRoutingKey(), new Message("reply".getBytes(), reply));
          }
        });
    consumer.start();
  }

  @AfterEach
  void close() throws Exception {
    consumer.stop();
    template.stop();
    world.close();
  }

  @Test
  void messaging_headers_carry_the_delay() throws Exception {
    RabbitMessagingTemplate messaging = new RabbitMessagingTemplate(template);
    long sent = System.nanoTime();
    messaging.convertAndSend(exchange, "key", "x", Map.of(AmqpHeaders.DELAY, DELAY.toMillis()));
    assertArrivesAfter(sent);
  }

  /**
   * Spring Modulith sends an externalized event so, with the headers that its configuration maps.
   */
  @Test
  void headers_of_an_event_carry_the_delay() throws Exception {
    RabbitMessagingTemplate messaging = new RabbitMessagingTemplate(template);
    long sent = System.nanoTime();
    Map<String, Object> headers = Delayed.delay(DELAY).headers();
    messaging.convertAndSend(exchange, "key", "x", headers);
    assertArrivesAfter(sent);
  }

  @Test
  void the_asynchronous_template_waits_for_the_reply_to_a_delayed_request() throws Exception {
    AsyncRabbitTemplate async = new AsyncRabbitTemplate(template);
    async.start();
    long sent = System.nanoTime();
    Object reply =
        async
            .convertSendAndReceive(exchange, "key", "x", Delayed.delay(DELAY))
            .get(10, TimeUnit.SECONDS);
    assertThat(reply).isEqualTo("reply");
    assertArrivesAfter(sent);
    async.stop();
  }

  @Test
  void the_asynchronous_template_with_a_reply_container_too() throws Exception {
    SimpleMessageListenerContainer replies = new SimpleMessageListenerContainer(world.connections);
    replies.setQueueNames(world.queue("replies"));
    AsyncRabbitTemplate async = new AsyncRabbitTemplate(template, replies);
    async.start();
    long sent = System.nanoTime();
    assertThat(
            async.sendAndReceive(exchange, "key", delayed("x")).get(10, TimeUnit.SECONDS).getBody())
        .isEqualTo("reply".getBytes());
    assertArrivesAfter(sent);
    async.stop();
  }

  @Test
  void a_batching_template_batches_what_asks_for_no_delay() throws Exception {
    ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
    scheduler.initialize();
    DelayedBatchingRabbitTemplate batching =
        new DelayedBatchingRabbitTemplate(
            template, new SimpleBatchingStrategy(2, 10_000, 30_000), scheduler);
    long sent = System.nanoTime();
    batching.send(exchange, "key", MessageBuilder.withBody("one".getBytes()).build());
    batching.send(exchange, "key", delayed("alone"));
    batching.send(exchange, "key", MessageBuilder.withBody("two".getBytes()).build());
    assertThat(List.of(text(), text())).containsExactly("one", "two");
    assertThat(new String(assertArrivesAfter(sent).getBody())).isEqualTo("alone");
    scheduler.shutdown();
  }

  @Test
  void a_request_of_a_batching_template_is_delayed_and_gets_its_reply() throws Exception {
    DelayedBatchingRabbitTemplate batching = batching();
    batching.setReplyTimeout(10_000);
    long sent = System.nanoTime();
    assertThat(batching.convertSendAndReceive(exchange, "key", "x", Delayed.delay(DELAY)))
        .isEqualTo("reply");
    assertArrivesAfter(sent);
    batching.stop();
  }

  @Test
  void a_delay_that_comes_too_late_for_a_batching_template_is_refused() {
    DelayedBatchingRabbitTemplate batching = batching();
    batching.addBeforePublishPostProcessors(Delayed.delay(DELAY));
    Message alone = MessageBuilder.withBody("x".getBytes()).build();
    assertThatThrownBy(() -> batching.send(exchange, "key", alone, new CorrelationData()))
        .isInstanceOf(DelayedSendException.class)
        .hasMessageContaining("before-publish post-processor");
  }

  private DelayedBatchingRabbitTemplate batching() {
    return new DelayedBatchingRabbitTemplate(
        template, new SimpleBatchingStrategy(2, 10_000, 30_000), new ThreadPoolTaskScheduler());
  }

  @Test
  void a_template_may_publish_on_a_connection_of_its_own() throws Exception {
    template.setUsePublisherConnection(true);
    long sent = System.nanoTime();
    template.send(exchange, "key", delayed("x"));
    assertArrivesAfter(sent);
  }

  private Message assertArrivesAfter(long sent) throws InterruptedException {
    Message arrived = arrivals.poll(10, TimeUnit.SECONDS);
    assertThat(arrived).isNotNull();
    assertThat(Duration.ofNanos(System.nanoTime() - sent)).isGreaterThanOrEqualTo(DELAY);
    return arrived;
  }

  private String text() throws InterruptedException {
    Message arrived = arrivals.poll(10, TimeUnit.SECONDS);
    assertThat(arrived).isNotNull();
    return new String(arrived.getBody());
  }

  private static Message delayed(String text) {
    return MessageBuilder.withBody(text.getBytes())
        .setContentType("text/plain")
        .setHeader("x-delay", DELAY.toMillis())
        .build();
  }
}
