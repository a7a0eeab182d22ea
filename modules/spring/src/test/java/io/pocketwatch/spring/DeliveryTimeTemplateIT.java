// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.AddressResolver;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.WheelOptions;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.QueueSpec;
import io.pocketwatch.internal.topology.Topology;
import io.pocketwatch.localbroker.NetworkProxy;
import io.pocketwatch.spring.listener.DeliveryHeaders;
import io.pocketwatch.testkit.Broker44;
import io.pocketwatch.testkit.BrokerExtension;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.core.RabbitTemplate;

/**
 * What a template sends is held by its time where the broker of the template's own connection does
 * so. Aborted, loudly, where the environment names no such broker.
 */
class DeliveryTimeTemplateIT {
  @RegisterExtension static final BrokerExtension EARLIER = BrokerExtension.version("4.3");

  private static final WheelOptions SMALL_WHEEL =
      WheelOptions.builder()
          .maxDelay(Duration.ofMinutes(1))
          .hands(Stream.of(10_000L, 1_000L, 100L, 10L).map(Duration::ofMillis).toList())
          .build();

  private final String prefix = "st-" + UUID.randomUUID().toString().substring(0, 8);
  private final String target = prefix + "-target";

  @AfterEach
  void clean() throws Exception {
    for (ConnectionFactory factory : List.of(Broker44.required(), earlier())) {
      try (Connection connection = factory.newConnection("clean")) {
        delete(connection, target);
        for (QueueSpec queue :
            Topology.of(routes(), BrokerCapabilities.unknown("guest")).queues()) {
          delete(connection, queue.name());
        }
      }
    }
  }

  @Test
  void the_template_picks_it_by_the_connection_it_has() throws Exception {
    ConnectionFactory later = Broker44.required();
    ConnectionFactory earlier = earlier();
    declareTarget(later);
    declareTarget(earlier);
    try (NetworkProxy proxy = NetworkProxy.to(later.getHost(), later.getPort());
        NetworkProxy other = NetworkProxy.to(earlier.getHost(), earlier.getPort())) {
      AtomicReference<NetworkProxy> current = new AtomicReference<>(proxy);
      AddressResolver addresses =
          () -> List.of(new Address(current.get().host(), current.get().port()));
      CachingConnectionFactory connections = new CachingConnectionFactory(later.clone());
      connections.setAddressResolver(addresses);
      connections.setPublisherConfirmType(CachingConnectionFactory.ConfirmType.CORRELATED);
      try (DelayedPublisher publisher =
          DelayedPublisher.builder(later).addressResolver(addresses).routes(routes()).build()) {
        DelayedRabbitTemplate template = new DelayedRabbitTemplate(connections, publisher);
        requireHeldBy(template, "native", ".native.");

        move(current, other, publisher, template, false);
        requireHeldBy(template, "wheel", ".wheel.");

        move(current, proxy, publisher, template, true);
        requireHeldBy(template, "native again", ".native.");
      } finally {
        connections.destroy();
      }
    }
  }

  private void requireHeldBy(DelayedRabbitTemplate template, String text, String queue)
      throws Exception {
    // The first message of a connection waits for its probe: a short one would be due by then.
    template.convertAndSend("", target, "first", Delayed.delay(Duration.ofSeconds(2)));
    takeAsItIs(template);
    for (int millis = 300; millis < 900; millis += 100) {
      Instant sent = Instant.now();
      CorrelationData correlation = new CorrelationData();
      template.convertAndSend(
          "", target, text, Delayed.delay(Duration.ofMillis(millis)), correlation);
      assertThat(correlation.getFuture().get(10, TimeUnit.SECONDS).ack()).isTrue();

      GetResponse received = takeAsItIs(template);

      assertThat(Duration.between(sent, Instant.now()))
          .isGreaterThanOrEqualTo(Duration.ofMillis(millis));
      assertThat(new String(received.getBody())).isEqualTo(text);
      assertThat(received.getProps().getHeaders().get("x-first-death-queue"))
          .as("%s, %s", text, received)
          .asString()
          .startsWith(prefix + queue);
    }
    template.convertAndSend("", target, text, Delayed.delay(Duration.ofMillis(200)));
    Message clean = template.receive(target, 10_000);
    assertThat(clean).isNotNull();
    assertThat(clean.getMessageProperties().getHeaders())
        .containsKeys(DeliveryHeaders.ID, DeliveryHeaders.DELIVER_AT)
        .doesNotContainKeys("x-opt-delivery-time", "x-first-death-queue");
  }

  /** A template of Spring's hides how a message was held. */
  private GetResponse takeAsItIs(RabbitTemplate template) {
    AtomicReference<GetResponse> taken = new AtomicReference<>();
    Awaitility.await("a message")
        .atMost(Duration.ofSeconds(10))
        .pollInterval(Duration.ofMillis(10))
        .until(
            () -> {
              taken.set(template.execute(channel -> channel.basicGet(target, true)));
              return taken.get() != null;
            });
    return taken.get();
  }

  /** Both connections are lost, the template's and the publisher's, and both are made there. */
  private static void move(
      AtomicReference<NetworkProxy> current,
      NetworkProxy to,
      DelayedPublisher publisher,
      RabbitTemplate template,
      boolean holdsByTime) {
    NetworkProxy from = current.getAndSet(to);
    from.reset();
    Awaitility.await("another connection")
        .atMost(Duration.ofSeconds(30))
        .ignoreExceptionsInstanceOf(AmqpException.class)
        .until(
            () ->
                publisher.status().connected()
                    && publisher.status().nativeHold().isUsable() == holdsByTime
                    && template.execute(Channel::isOpen));
  }

  /** In the virtual host that both brokers have: one connection moves between them. */
  private static ConnectionFactory earlier() {
    return EARLIER.node().connectionFactory();
  }

  private DelayRoutes routes() {
    return SpringWorld.routes().toBuilder()
        .defaults(DelayRoute.defaults().toBuilder().strategy(DelayStrategy.DELIVERY_TIME).build())
        .hold(HoldOptions.builder().namePrefix(prefix).wheel(SMALL_WHEEL).build())
        .build();
  }

  private void declareTarget(ConnectionFactory factory) throws Exception {
    try (Connection connection = factory.newConnection("target")) {
      connection.createChannel().queueDeclare(target, true, false, false, null);
    }
  }

  private static void delete(Connection connection, String queue) throws IOException {
    Channel channel = connection.createChannel();
    channel.queueDelete(queue);
    channel.abort();
  }
}
