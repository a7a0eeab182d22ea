// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.PublisherOptions;
import io.pocketwatch.config.WheelOptions;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.Destination;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.TemporaryQueue;
import io.pocketwatch.internal.topology.Topology;
import io.pocketwatch.lab.broker.BrokerChoice;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Progress;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.store.DelayStore;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One demo on one broker. */
final class DemoRun {
  private static final Duration LEAST_PATIENCE = Duration.ofSeconds(20);
  private static final Duration TELL_EVERY = Duration.ofSeconds(5);
  private static final int PROBLEMS_SHOWN = 5;

  private final BrokerChoice choice;
  private final Scenario scenario;
  private final DelayRoutes routes;
  private final List<Order> orders;
  private final String run;
  private final Ledger ledger;
  private final Screen screen;
  private final DelayRoutes storeRoutes;
  private Optional<StoreCounts> storeCounts = Optional.empty();

  private DemoRun(BrokerChoice choice, Scenario scenario, DelayRoutes configured, Screen screen) {
    this.choice = choice;
    this.scenario = scenario;
    this.routes = scenario.routes(configured);
    this.storeRoutes = scenario.storeRoutes(configured);
    this.orders = scenario.orders();
    this.run = "demo-" + Long.toString(System.currentTimeMillis(), 36);
    this.ledger = new Ledger(run, orders);
    this.screen = screen;
  }

  static DemoRun on(
      BrokerChoice choice, int messages, Duration length, DelayRoutes configured, Screen screen)
      throws IOException, TimeoutException {
    boolean plugin = PluginProbe.ask(choice.broker().connectionFactory());
    return new DemoRun(
        choice, Scenario.of(messages, length, configured, plugin), configured, screen);
  }

  /** Tells the story and returns what became of every message that did not go through the store. */
  Map<DelayStrategy, Tally> run(DelayStore store)
      throws IOException, TimeoutException, InterruptedException {
    try (DemoGround ground = DemoGround.prepare(choice.broker().connectionFactory())) {
      try {
        tellOn(ground, store);
      } finally {
        tidy(ground);
      }
    }
    if (ledger.strangers() > 0) {
      screen.detail(
          Numbers.count(ledger.strangers()) + " messages of an earlier demo arrived, not counted.");
    }
    ledger.problems(PROBLEMS_SHOWN).forEach(screen::detail);
    return ledger.tallies();
  }

  private void tellOn(DemoGround ground, DelayStore store)
      throws IOException, InterruptedException {
    ConnectionFactory factory = choice.broker().connectionFactory();
    Instant start = Instant.now();
    try (DelayedPublisher publisher = DelayedPublisher.builder(factory).routes(routes).build()) {
      screen.detail(
          "Declared and tried out in " + Numbers.seconds(Duration.between(start, Instant.now())));
      screen.heading("Watch it");
      Whereabouts.of(choice).forEach(screen::detail);
      TimeoutConsumer.start(ground.channel(), ledger);
      screen.heading("Orders");
      tellBoth(publisher, ground, store);
    }
  }

  /** The tasks of the store fall due while the orders come and go. */
  private void tellBoth(DelayedPublisher publisher, DemoGround ground, DelayStore store)
      throws IOException, InterruptedException {
    ConnectionFactory factory = choice.broker().connectionFactory();
    try (StoreAct act =
        StoreAct.begin(store, factory, storeRoutes, ground.channel(), run, screen)) {
      screen.detail("Beside them, " + act.describe());
      try (Progress progress = new Progress(screen, "due", TELL_EVERY)) {
        new Story(publisher, ledger, progress, patience()).tell(orders);
      }
      screen.heading("Store");
      screen.detail(
          ("The store holds these tasks until they are due. Meanwhile one of them is cancelled and"
                  + " one is moved by %s s.")
              .formatted(StoreAct.MOVE.toSeconds()));
      storeCounts = Optional.of(act.end(patience()));
    }
  }

  /** What became of the tasks of the store, once the story is told. */
  StoreCounts storeCounts() {
    return storeCounts.orElseThrow();
  }

  /**
   * What the wheel rounds up is not late, and an unanswered publish call ends after its timeout.
   */
  private Duration patience() {
    PublisherOptions publisher = routes.publisher();
    WheelOptions wheel = scenario.hold().wheel();
    return LEAST_PATIENCE.plus(publisher.confirmTimeout()).plus(wheel.resolution());
  }

  private void tidy(DemoGround ground) throws IOException {
    if (choice.own() != null) {
      return; // it goes as a whole
    }
    Names names = new Names(DemoNames.PREFIX);
    BrokerCapabilities facts =
        new BrokerCapabilities(
            choice.broker().version(),
            scenario.plugin(),
            BrokerCapabilities.mayHaveLocalRandomExchange(choice.broker().version()),
            0,
            "");
    Destination shop =
        Destination.of(DemoNames.EXCHANGE, DemoNames.ROUTING_KEY, Destination.Way.TEMPORARY);
    Stream<String> temporary =
        ledger.receipts(DelayStrategy.TEMPORARY_QUEUE).stream()
            .map(receipt -> TemporaryQueue.token(receipt.id(), receipt.deliverAt()))
            .map(names::temporaryQueue);
    ground.delete(
        List.of(
            Topology.of(routes, facts),
            Topology.of(storeRoutes, facts),
            Topology.of(names, shop),
            Topology.ofNodeSink(names, 1)),
        temporary.toList());
    screen.detail("Deleted all the demo had declared on it: " + DemoNames.PREFIX + ".*");
  }

  /** How messages will be held, in words. */
  List<String> holdLines() {
    WheelOptions wheel = scenario.hold().wheel();
    String delays =
        scenario.configuredDelays().stream()
            .map(DurationText::format)
            .collect(Collectors.joining(", "));
    return List.of(
        "TTL_QUEUE        one queue per configured delay: " + delays,
        "QUEUE_WHEEL      any delay up to %s, in steps of %s"
            .formatted(
                DurationText.format(wheel.maxDelay()), DurationText.format(wheel.resolution())),
        "TEMPORARY_QUEUE  one queue per message, which can be cancelled",
        "DELAYED_EXCHANGE "
            + (scenario.plugin()
                ? "the broker's delayed-message plugin"
                : "left out: the broker does not have the delayed-message plugin"));
  }
}
