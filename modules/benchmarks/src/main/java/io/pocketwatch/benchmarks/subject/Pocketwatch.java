// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.subject;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.Lane;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.NotHereException;
import io.pocketwatch.benchmarks.harness.Server;
import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.config.DelayRoutes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One of our strategies, as an application would use it. */
final class Pocketwatch implements Subject {
  private final String name;
  private final Place place;
  private final DelayStrategy strategy;
  private final DelayRoutes routes;
  private final VhostChange change;

  Pocketwatch(String name, Place place, DelayStrategy strategy, DelayRoutes routes) {
    this(name, place, strategy, routes, VhostChange.NONE);
  }

  Pocketwatch(
      String name, Place place, DelayStrategy strategy, DelayRoutes routes, VhostChange change) {
    this.name = name;
    this.place = place;
    this.strategy = strategy;
    this.routes = routes;
    this.change = change;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String durability() {
    return "persistent, confirmed";
  }

  @Override
  public Optional<Duration> fixedDelay() {
    return strategy == DelayStrategy.IMMEDIATE
        ? Optional.of(Duration.ZERO)
        : routes.delays().stream().findFirst();
  }

  @Override
  public int expectedPerSecond() {
    return strategy == DelayStrategy.TEMPORARY_QUEUE ? 200 : place.expectedPerSecond();
  }

  @Override
  public List<Server> servers(Ground ground) throws Exception {
    RabbitServer server = place.server(ground);
    if (strategy == DelayStrategy.DELIVERY_TIME) {
      requireHeldByTime(server);
    }
    return List.of(server);
  }

  private void requireHeldByTime(RabbitServer server) throws NotHereException {
    try (RabbitServer.VirtualHost host = server.virtualHost();
        DelayedPublisher publisher =
            DelayedPublisher.builder(host.connectionFactory())
                .addresses(host.addresses())
                .routes(routes)
                .build()) {
      if (!publisher.status().nativeHold().isUsable()) {
        throw new NotHereException(
            "DELIVERY_TIME does not work here: " + publisher.status().nativeHold().description());
      }
    }
  }

  @Override
  public Lane open(Ground ground, Ledger ledger) throws Exception {
    RabbitServer.VirtualHost host = place.server(ground).virtualHost();
    TargetQueue target = TargetQueue.consume(host.connect(), "quorum", ledger);
    change.before(host, routes);
    DelayedPublisher publisher =
        DelayedPublisher.builder(host.connectionFactory())
            .addresses(host.addresses())
            .routes(change.routes(routes))
            .build();
    change.after(host, routes);
    if (strategy == DelayStrategy.QUEUE_WHEEL) {
      publisher.declareWheel().join(); // no part of what is measured
    }
    return new Lane() {
      @Override
      public void ask(int number, byte[] payload, long dueMillis) {
        publisher
            .publish(message(payload, dueMillis))
            .whenComplete((receipt, failure) -> account(ledger, receipt, failure));
      }

      @Override
      public void close() throws Exception {
        publisher.close();
        target.close();
        host.close();
      }
    };
  }

  private DelayedMessage message(byte[] payload, long dueMillis) {
    DelayedMessage message =
        DelayedMessage.to(TargetQueue.EXCHANGE, TargetQueue.KEY).body(payload).strategy(strategy);
    return fixedDelay()
        .map(message::delay)
        .orElseGet(() -> message.deliverAt(Instant.ofEpochMilli(dueMillis)));
  }

  private static void account(
      Ledger ledger, @Nullable PublishReceipt receipt, @Nullable Throwable failure) {
    if (receipt != null && receipt.outcome() == PublishOutcome.CONFIRMED) {
      ledger.confirmed(1);
    } else {
      ledger.refused(String.valueOf(receipt == null ? failure : receipt));
    }
  }
}
