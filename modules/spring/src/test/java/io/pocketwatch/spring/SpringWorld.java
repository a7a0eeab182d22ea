// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.PublisherOptions;
import io.pocketwatch.config.WheelOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.UUID;
import java.util.stream.Stream;
import org.springframework.amqp.core.Binding;
import org.springframework.amqp.core.BindingBuilder;
import org.springframework.amqp.core.Exchange;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.QueueBuilder;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;

/** What a Spring application has, on one broker: a connection factory, an admin, a publisher. */
final class SpringWorld implements AutoCloseable {
  final CachingConnectionFactory connections;
  final RabbitAdmin admin;
  private final com.rabbitmq.client.ConnectionFactory broker;
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  SpringWorld(com.rabbitmq.client.ConnectionFactory broker) {
    this.broker = broker;
    this.connections = connections();
    this.admin = new RabbitAdmin(connections);
  }

  /** As many as the test wants to set up differently. */
  CachingConnectionFactory connections() {
    CachingConnectionFactory factory = new CachingConnectionFactory(broker.clone());
    factory.setPublisherConfirmType(CachingConnectionFactory.ConfirmType.CORRELATED);
    factory.setPublisherReturns(true);
    return keep(factory, factory::destroy);
  }

  /** Holds up to 50 days in 77 queues, which are there from the start. */
  static DelayRoutes routes() {
    return DelayRoutes.builder()
        .defaults(DelayRoute.defaults().toBuilder().strategy(DelayStrategy.QUEUE_WHEEL).build())
        .hold(
            HoldOptions.builder()
                .wheel(
                    WheelOptions.builder()
                        .maxDelay(Duration.ofDays(50))
                        .hands(
                            Stream.of(
                                    864_000_000L,
                                    86_400_000L,
                                    14_400_000L,
                                    3_600_000L,
                                    600_000L,
                                    60_000L,
                                    10_000L,
                                    1_000L,
                                    100L,
                                    10L)
                                .map(Duration::ofMillis)
                                .toList())
                        .build())
                .build())
        .publisher(PublisherOptions.builder().confirmTimeout(Duration.ofSeconds(5)).build())
        .build();
  }

  DelayedPublisher publisher() {
    return publisher(routes());
  }

  DelayedPublisher publisher(DelayRoutes routes) {
    DelayedPublisher publisher = DelayedPublisher.builder(broker).routes(routes).build();
    return keep(publisher, publisher);
  }

  Exchange declare(Exchange exchange) {
    admin.declareExchange(exchange);
    return exchange;
  }

  /** A new durable queue; its name begins as given. */
  String queue(String name) {
    String unique = name + "-" + UUID.randomUUID().toString().substring(0, 8);
    Queue queue = QueueBuilder.durable(unique).classic().build();
    admin.declareQueue(queue);
    return unique;
  }

  String bound(Exchange exchange, String key) {
    String queue = queue(exchange.getName());
    bind(queue, exchange, key);
    return queue;
  }

  void bind(String queue, Exchange exchange, String key) {
    Binding binding = BindingBuilder.bind(new Queue(queue)).to(exchange).with(key).noargs();
    admin.declareBinding(binding);
  }

  private <T> T keep(T kept, AutoCloseable close) {
    open.push(close);
    return kept;
  }

  @Override
  public void close() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }
}
