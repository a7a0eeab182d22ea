// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.Headers;
import io.pocketwatch.testkit.BrokerExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.amqp.core.DirectExchange;
import org.springframework.amqp.core.Exchange;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.core.ReturnedMessage;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.connection.PublisherCallbackChannel;
import org.springframework.amqp.rabbit.connection.SimpleRoutingConnectionFactory;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;

/** What a sender is told, and on which channel his message goes. */
@Tag("wide")
class ConfirmsAndReturnsIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  private final BlockingQueue<ReturnedMessage> returned = new LinkedBlockingQueue<>();
  private SpringWorld world;
  private DelayedRabbitTemplate template;
  private Exchange exchange;
  private String queue;

  @BeforeEach
  void open() {
    world = new SpringWorld(BROKER.connectionFactory());
    exchange = world.declare(new DirectExchange("confirms"));
    queue = world.bound(exchange, "key");
    template = new DelayedRabbitTemplate(world.connections, world.publisher());
    template.setMandatory(true);
    template.setReturnsCallback(returned::add);
  }

  @AfterEach
  void close() throws Exception {
    world.admin.deleteExchange("confirms");
    world.close();
  }

  @Test
  void a_held_message_is_confirmed_and_not_returned() throws Exception {
    CorrelationData correlation = new CorrelationData();
    send("key", 300, correlation);
    assertThat(correlation.getFuture().get(5, TimeUnit.SECONDS).ack()).isTrue();
    assertThat(correlation.getReturned()).isNull();
    assertThat(template.receive(queue, 5_000)).isNotNull();
    assertThat(returned).isEmpty();
  }

  @Test
  void a_held_message_that_nothing_takes_when_due_is_not_returned_either() throws Exception {
    CorrelationData correlation = new CorrelationData();
    send("nobody", 100, correlation);
    assertThat(correlation.getFuture().get(5, TimeUnit.SECONDS).ack()).isTrue();
    send("key", 200, null);
    assertThat(template.receive(queue, 5_000)).isNotNull();
    assertThat(returned).isEmpty();
  }

  @Test
  void an_undelayed_message_that_nothing_takes_is_returned_as_ever() throws Exception {
    CorrelationData correlation = new CorrelationData();
    template.convertAndSend("confirms", "nobody", "x", correlation);
    assertThat(correlation.getFuture().get(5, TimeUnit.SECONDS).ack()).isTrue();
    assertThat(correlation.getReturned()).isNotNull();
    ReturnedMessage back = returned.poll(5, TimeUnit.SECONDS);
    assertThat(back.getExchange()).isEqualTo("confirms");
    assertThat(back.getReplyText()).isEqualTo("NO_ROUTE");
  }

  @Test
  void so_is_one_whose_delay_is_over() throws Exception {
    template.convertAndSend(
        "confirms", "nobody", "x", Delayed.deliverAt(Instant.now().minusSeconds(1)));
    ReturnedMessage back = returned.poll(5, TimeUnit.SECONDS);
    assertThat(back).isNotNull();
    assertThat(back.getExchange()).isEqualTo("confirms");
  }

  @Test
  void a_target_that_does_not_exist_is_an_error_of_the_call() {
    assertThatThrownBy(
            () ->
                template.convertAndSend(
                    "no-such-exchange", "key", "x", Delayed.delay(Duration.ofMinutes(1))))
        .isInstanceOf(DelayedSendException.class)
        .hasMessageContaining("'no-such-exchange'");
    assertThat(template.getUnconfirmedCount()).as("no channel waits for its confirm").isZero();
  }

  @Test
  void a_returned_message_that_is_sent_again_asks_for_its_instant_again() throws Exception {
    Instant due = Instant.now().minusSeconds(5);
    template.convertAndSend("confirms", "nobody", "x", Delayed.deliverAt(due));
    Message back = returned.poll(5, TimeUnit.SECONDS).getMessage();
    assertThat(DelayRequest.of("confirms", "key", back, SpringWorld.routes()).deliverAt())
        .isEqualTo(
            due.truncatedTo(java.time.temporal.ChronoUnit.MILLIS)
                .plusMillis(due.getNano() % 1_000_000 == 0 ? 0 : 1));
    template.send("confirms", "key", back);
    assertThat(template.receive(queue, 5_000)).isNotNull();
  }

  @Test
  void a_delay_that_cannot_be_held_or_understood_is_refused_with_the_reason() {
    assertThatThrownBy(
            () ->
                template.convertAndSend("confirms", "key", "x", Delayed.delay(Duration.ofDays(51))))
        .isInstanceOf(DelayedSendException.class)
        .hasMessageContaining("50d");
    for (Object wrong : new Object[] {"5s", true, Double.NaN, List.of(5)}) {
      Message message = MessageBuilder.withBody(new byte[0]).setHeader("x-delay", wrong).build();
      assertThatThrownBy(() -> template.send("confirms", "key", message))
          .isInstanceOf(DelayedSendException.class)
          .hasMessageContaining("x-delay header is '" + wrong + "'");
    }
    assertThat(template.receive(queue, 300)).isNull();
  }

  @Test
  void invoke_waits_for_the_confirms_of_held_messages() {
    CachingConnectionFactory simple = world.connections();
    simple.setPublisherReturns(false);
    simple.setPublisherConfirmType(CachingConnectionFactory.ConfirmType.SIMPLE);
    DelayedRabbitTemplate scoped = new DelayedRabbitTemplate(simple, world.publisher());
    Message sent = MessageBuilder.withBody("x".getBytes()).setHeader("x-delay", 200).build();
    boolean confirmed =
        scoped.invoke(
            operations -> {
              operations.send("confirms", "key", sent);
              operations.send("confirms", "key", sent);
              return operations.waitForConfirms(5_000);
            });
    assertThat(confirmed).isTrue();
    assertThat(sent.getMessageProperties().getPublishSequenceNumber())
        .as("Spring's number of the message, for who counts confirms")
        .isEqualTo(2);
    assertThat(template.receive(queue, 5_000)).isNotNull();
    assertThat(template.receive(queue, 5_000)).isNotNull();
  }

  @Test
  void nothing_of_a_transacted_channel_that_is_rolled_back_arrives() {
    CachingConnectionFactory transacted = world.connections();
    transacted.setPublisherReturns(false);
    transacted.setPublisherConfirmType(CachingConnectionFactory.ConfirmType.NONE);
    DelayedRabbitTemplate inTransaction = new DelayedRabbitTemplate(transacted, world.publisher());
    inTransaction.setChannelTransacted(true);
    org.springframework.transaction.support.TransactionTemplate transaction =
        new org.springframework.transaction.support.TransactionTemplate(
            new org.springframework.amqp.rabbit.transaction.RabbitTransactionManager(transacted));

    transaction.executeWithoutResult(
        status -> {
          inTransaction.convertAndSend(
              "confirms", "key", "no", Delayed.delay(Duration.ofMillis(100)));
          status.setRollbackOnly();
        });
    transaction.executeWithoutResult(
        status ->
            inTransaction.convertAndSend(
                "confirms", "key", "yes", Delayed.delay(Duration.ofMillis(200))));

    assertThat(new String(template.receive(queue, 5_000).getBody())).isEqualTo("yes");
    assertThat(template.receive(queue, 300)).isNull();
  }

  @Test
  void post_processors_before_publishing_give_a_delay_and_run_once() {
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    template.addBeforePublishPostProcessors(
        message -> {
          seen.add(message.getMessageProperties().getMessageId());
          message.getMessageProperties().setDelayLong(300L);
          return message;
        });
    long began = System.nanoTime();
    template.send(
        "confirms", "key", MessageBuilder.withBody(new byte[1]).setMessageId("m").build());
    assertThat(template.receive(queue, 5_000)).isNotNull();
    assertThat(Duration.ofNanos(System.nanoTime() - began))
        .isGreaterThanOrEqualTo(Duration.ofMillis(300));
    assertThat(seen).containsExactly("m");
  }

  @Test
  void a_retry_is_the_same_message() {
    AtomicInteger attempts = new AtomicInteger();
    List<Object> ids = Collections.synchronizedList(new ArrayList<>());
    DelayedRabbitTemplate failing =
        new DelayedRabbitTemplate(world.connections, world.publisher()) {
          @Override
          protected void sendToRabbit(
              com.rabbitmq.client.Channel channel,
              String exchange,
              String routingKey,
              boolean mandatory,
              Message message) {
            super.sendToRabbit(channel, exchange, routingKey, mandatory, message);
            if (attempts.incrementAndGet() < 3) {
              throw new org.springframework.amqp.AmqpIOException(new java.io.IOException("lost"));
            }
          }
        };
    failing.setRetryTemplate(new RetryTemplate());
    failing.convertAndSend("confirms", "key", "x", Delayed.delay(Duration.ofMillis(200)));
    for (int i = 0; i < 3; i++) {
      Message received = template.receive(queue, 5_000);
      assertThat(received).isNotNull();
      ids.add(received.getMessageProperties().getHeader(Headers.ID));
    }
    assertThat(ids.stream().distinct()).hasSize(1);
  }

  @Test
  void what_spring_adds_on_sending_arrives_through_a_temporary_queue_too() throws Exception {
    template.setBeforePublishPostProcessors(
        message -> {
          message.getMessageProperties().setHeader("trace", "before");
          return message;
        });
    CorrelationData correlation = new CorrelationData();
    template.convertAndSend("confirms", "key", "x", temporary(300), correlation);
    assertThat(correlation.getFuture().get(5, TimeUnit.SECONDS).ack()).isTrue();
    Message received = template.receive(queue, 10_000);
    assertThat(received).isNotNull();
    assertThat(received.getMessageProperties().getHeaders())
        .containsEntry("trace", "before")
        .containsEntry(
            PublisherCallbackChannel.RETURNED_MESSAGE_CORRELATION_KEY, correlation.getId());
  }

  @Test
  void a_retry_through_a_temporary_queue_is_not_late_by_what_went_by() {
    Duration lost = Duration.ofSeconds(3);
    AtomicInteger attempts = new AtomicInteger();
    DelayedRabbitTemplate failing =
        new DelayedRabbitTemplate(world.connections, world.publisher()) {
          @Override
          protected void sendToRabbit(
              com.rabbitmq.client.Channel channel,
              String exchange,
              String routingKey,
              boolean mandatory,
              Message message) {
            if (attempts.incrementAndGet() == 1) {
              throw new org.springframework.amqp.AmqpIOException(new java.io.IOException("lost"));
            }
            super.sendToRabbit(channel, exchange, routingKey, mandatory, message);
          }
        };
    failing.setRetryTemplate(
        new RetryTemplate(RetryPolicy.builder().maxRetries(1).delay(lost).build()));
    failing.convertAndSend("confirms", "key", "x", temporary(4_000));
    Message received = template.receive(queue, 20_000);
    assertThat(received).isNotNull();
    long deliverAt = received.getMessageProperties().getHeader(Headers.DELIVER_AT);
    assertThat(System.currentTimeMillis()).isBetween(deliverAt, deliverAt + lost.toMillis() - 500);
    assertThat(attempts).hasValue(2);
  }

  private static Delayed temporary(long millis) {
    return Delayed.delay(Duration.ofMillis(millis)).strategy(DelayStrategy.TEMPORARY_QUEUE);
  }

  @Test
  void a_routing_connection_factory_is_refused_for_delays_only() {
    SimpleRoutingConnectionFactory routing = new SimpleRoutingConnectionFactory();
    routing.setDefaultTargetConnectionFactory(world.connections);
    routing.setConsistentConfirmsReturns(false);
    DelayedRabbitTemplate routed = new DelayedRabbitTemplate(routing, world.publisher());
    routed.convertAndSend("confirms", "key", "now");
    assertThat(template.receive(queue, 5_000)).isNotNull();
    assertThatThrownBy(
            () ->
                routed.convertAndSend("confirms", "key", "x", Delayed.delay(Duration.ofSeconds(1))))
        .isInstanceOf(DelayedSendException.class)
        .hasMessageContaining("a DelayedRabbitTemplate for each");
  }

  @Test
  void what_an_earlier_life_left_on_a_message_is_not_sent() {
    Message message =
        MessageBuilder.withBody(new byte[1])
            .setHeader(Headers.ID, "old")
            .setHeader(Headers.DELIVER_AT, 1L)
            .setHeader("mine", "kept")
            .build();
    template.send("confirms", "key", message);
    assertThat(template.receive(queue, 5_000).getMessageProperties().getHeaders())
        .containsEntry("mine", "kept")
        .doesNotContainKeys(Headers.ID, Headers.DELIVER_AT);
  }

  @Test
  void a_user_id_is_the_connections() {
    template.setUserIdExpressionString("'guest'");
    send("key", 100, null);
    Awaitility.await().until(() -> template.receive(queue) != null);
    template.setUserIdExpressionString("'somebody'");
    assertThatThrownBy(() -> send("key", 100, null))
        .isInstanceOf(DelayedSendException.class)
        .hasMessageContaining("'somebody'");
  }

  private void send(String key, long delay, CorrelationData correlation) {
    template.convertAndSend(
        "confirms", key, "x", Delayed.delay(Duration.ofMillis(delay)), correlation);
  }
}
