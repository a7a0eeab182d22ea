// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.topology.BindingSpec;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.Topology;
import io.pocketwatch.spi.Planning;
import io.pocketwatch.testkit.BrokerExtension;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.core.DirectExchange;
import org.springframework.amqp.core.Exchange;
import org.springframework.amqp.core.ReturnedMessage;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory.ConfirmType;
import org.springframework.amqp.rabbit.connection.CorrelationData;

/** Somebody deleted a hold queue; templates that are not mandatory, as they come. */
@Tag("wide")
class MissingHoldIT {
  private static final Duration DELAY = Duration.ofSeconds(40);

  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private SpringWorld world;
  private DelayedPublisher publisher;

  @BeforeEach
  void open() {
    world = new SpringWorld(BROKER.connectionFactory());
    Exchange exchange = world.declare(new DirectExchange("missing-hold"));
    world.bound(exchange, "key");
    DelayRoutes usual = SpringWorld.routes();
    publisher =
        world.publisher(
            usual.toBuilder().hold(usual.hold().toBuilder().namePrefix("missing").build()).build());
    deleteHoldQueues();
    log.start();
    logger().addAppender(log);
  }

  @AfterEach
  void close() throws Exception {
    logger().detachAppender(log);
    world.admin.deleteExchange("missing-hold");
    world.close();
  }

  @Test
  void correlation_data_has_the_returned_message() throws Exception {
    CorrelationData correlation = new CorrelationData();
    BlockingQueue<CorrelationData> confirmed = new LinkedBlockingQueue<>();
    DelayedRabbitTemplate template = template(world.connections);
    template.setConfirmCallback((data, ack, cause) -> confirmed.add(data));
    template.convertAndSend("missing-hold", "key", "x", delayed(), correlation);
    assertThat(correlation.getFuture().get(5, TimeUnit.SECONDS).ack()).isTrue();
    assertThat(confirmed.poll(5, TimeUnit.SECONDS)).isSameAs(correlation);
    ReturnedMessage back = correlation.getReturned();
    assertThat(back).isNotNull();
    assertThat(back.getReplyText()).isEqualTo("NO_ROUTE");
    assertThat(back.getExchange()).as("as it was addressed").isEqualTo("missing-hold");
    assertThat(back.getRoutingKey()).isEqualTo("key");
    assertThat(back.getMessage().getMessageProperties().getReceivedExchange())
        .isEqualTo("missing-hold");
    assertThat(
            DelayRequest.of("missing-hold", "key", back.getMessage(), publisher.routes())
                .deliverAt())
        .as("sent again it asks for its instant")
        .isNotNull();
    assertThat(errors()).isEmpty();
  }

  @Test
  void a_returns_callback_gets_it_as_it_was_addressed() throws Exception {
    BlockingQueue<ReturnedMessage> returned = new LinkedBlockingQueue<>();
    DelayedRabbitTemplate template = template(world.connections);
    template.setReturnsCallback(returned::add);
    template.convertAndSend("missing-hold", "key", "x", delayed());
    ReturnedMessage back = returned.poll(5, TimeUnit.SECONDS);
    assertThat(back).isNotNull();
    assertThat(back.getExchange()).isEqualTo("missing-hold");
    assertThat(back.getRoutingKey()).isEqualTo("key");
    assertThat(errors()).isEmpty();
  }

  @Test
  void undelayed_messages_are_returned_no_more_than_before() throws Exception {
    BlockingQueue<ReturnedMessage> returned = new LinkedBlockingQueue<>();
    DelayedRabbitTemplate template = template(world.connections);
    template.setReturnsCallback(returned::add);
    CorrelationData correlation = new CorrelationData();
    template.convertAndSend("missing-hold", "nobody", "x", correlation);
    CorrelationData due = new CorrelationData();
    template.convertAndSend("missing-hold", "nobody", "x", Delayed.delay(Duration.ZERO), due);
    assertThat(correlation.getFuture().get(5, TimeUnit.SECONDS).ack()).isTrue();
    assertThat(due.getFuture().get(5, TimeUnit.SECONDS).ack()).isTrue();
    assertThat(returned).isEmpty();
    assertThat(correlation.getReturned()).isNull();
    assertThat(due.getReturned()).isNull();
  }

  @Test
  void what_nobody_looks_for_is_an_error_in_the_log() {
    template(world.connections).convertAndSend("missing-hold", "key", "x", delayed().id("lost-1"));
    assertComplaint("lost-1");
  }

  @Test
  void also_where_the_connection_factory_has_neither_confirms_nor_returns() {
    DelayedRabbitTemplate template = template(withoutConfirms());
    template.convertAndSend("missing-hold", "key", "x", delayed().id("lost-2"));
    assertComplaint("lost-2");
    template.convertAndSend("missing-hold", "key", "x", delayed().id("lost-3"));
    Awaitility.await().untilAsserted(() -> assertThat(errors()).hasSize(2));
  }

  @Test
  void also_in_a_transaction_of_the_channel() {
    DelayedRabbitTemplate template = template(withoutConfirms());
    template.setChannelTransacted(true);
    template.convertAndSend("missing-hold", "key", "x", delayed().id("lost-4"));
    assertComplaint("lost-4");
  }

  private static Delayed delayed() {
    return Delayed.delay(DELAY);
  }

  private DelayedRabbitTemplate template(CachingConnectionFactory connections) {
    return new DelayedRabbitTemplate(connections, publisher);
  }

  private CachingConnectionFactory withoutConfirms() {
    CachingConnectionFactory connections = world.connections();
    connections.setPublisherConfirmType(ConfirmType.NONE);
    connections.setPublisherReturns(false);
    return connections;
  }

  private void assertComplaint(String id) {
    Awaitility.await().untilAsserted(() -> assertThat(errors()).isNotEmpty());
    assertThat(errors())
        .singleElement()
        .asString()
        .contains(id, "route 'defaults'", "'missing-hold'", "'key'", "NO_ROUTE", "LOST");
  }

  private List<String> errors() {
    return List.copyOf(log.list).stream()
        .filter(event -> event.getLevel() == Level.ERROR)
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(MissingHoldReturns.class);
  }

  /** And its neighbours on the same hand, for what remains of the delay decides which it is. */
  private void deleteHoldQueues() {
    DelayedMessage message = DelayedMessage.to("missing-hold", "key").delay(DELAY);
    Planning planning = publisher.unwrap(Planning.class);
    PublishPlan plan =
        world
            .admin
            .getRabbitTemplate()
            .execute(
                channel -> planning.prepare(planning.accept(message), channel.getConnection()));
    Topology.of(publisher.routes(), BrokerCapabilities.unknown("guest")).bindings().stream()
        .filter(binding -> binding.toQueue() && binding.source().equals(plan.exchange()))
        .map(BindingSpec::target)
        .forEach(world.admin::deleteQueue);
  }
}
