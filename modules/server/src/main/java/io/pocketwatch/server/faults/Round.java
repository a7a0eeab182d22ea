// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.MessageKey;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One round: a broker, a database, a loader and a consumer of its own, and the faults. */
final class Round {
  /** Messages are scheduled in the first part of a round, and due until its end. */
  private static final double SCHEDULING = 0.7;

  private static final long LEAST_DELAY_MILLIS = 1_000;
  private static final Duration FAULTS_END = Duration.ofMinutes(3);

  /** Without anything handled meanwhile. */
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  private static final long LOOK_MILLIS = 500;
  private static final int MISSING_SHOWN = 10;

  private final RoundPlan plan;
  private final Path folder;
  private final Screen screen;
  private final Random random;

  Round(RoundPlan plan, Path folder, Screen screen) {
    this.plan = plan;
    this.folder = folder;
    this.screen = screen;
    this.random = new Random(plan.seed());
  }

  /** What became of it, and where it took place. */
  record Outcome(RoundResult result, String broker, String database) {}

  Outcome run() throws IOException, TimeoutException, InterruptedException, SQLException {
    LocalBrokerOptions options =
        LocalBrokerOptions.defaults()
            .withControllable(true)
            .withPlugins(List.of())
            .withVersion(plan.brokerVersion());
    try (LedgerDatabase database = plan.database().start(folder);
        BrokerNode node = LocalBroker.find(options, line -> {});
        OpenStore open = database.open()) {
      Ground.declare(node);
      Effects.createTable(open.pool());
      ConfigurationFile configuration = LedgerConfiguration.write(folder, database.url());
      String config = configuration.file().toString();
      String broker = node.amqpUri().toString();
      Instant since = open.store().now();
      Path arrivals = folder.resolve("arrivals.txt");
      try (DelayedPublisher publisher =
              DelayedPublisher.builder(node.connectionFactory())
                  .routes(configuration.routes())
                  .store(open.store())
                  .build();
          Child loader = Child.start(folder, FaultProcess.LOADER, config, broker);
          Child consumer =
              Child.start(folder, FaultProcess.CONSUMER, config, broker, arrivals.toString());
          Scheduling scheduling = new Scheduling(publisher);
          FaultRun faults = new FaultRun(screen, database.fault())) {
        Map<FaultKind, Runnable> actions = new EnumMap<>(FaultKind.class);
        actions.put(FaultKind.LOADER, loader::killAndStart);
        actions.put(FaultKind.CONSUMER, consumer::killAndStart);
        actions.put(FaultKind.DATABASE, database::disturb);
        actions.put(
            FaultKind.BROKER,
            () -> {
              node.kill();
              node.start();
            });
        Readiness.await(node, open.store(), since, folder);
        List<LedgerEntry> entries = entries(open.store().now());
        faults.plan(plan.faults(), actions);
        await(entries, scheduling, faults, open);
        RoundResult result =
            new RoundAccount(entries, Effects.read(open.pool(), plan.prefix()))
                .result(
                    scheduling.uncertain(),
                    scheduling.rejected(),
                    Arrivals.read(arrivals),
                    Ground.deadLettered(node),
                    loader.ownEnds() + consumer.ownEnds() + database.ownEnds(),
                    faults.done());
        explain(entries, scheduling, open, result);
        return new Outcome(result, node.version(), open.store().describe());
      }
    }
  }

  private List<LedgerEntry> entries(Instant begin) {
    long length = plan.length().toMillis();
    List<LedgerEntry> entries = new ArrayList<>();
    for (int i = 0; i < plan.messages(); i++) {
      long scheduled = (long) (length * SCHEDULING * i / plan.messages());
      long most = length - scheduled;
      long delay = LEAST_DELAY_MILLIS + (long) (random.nextDouble() * (most - LEAST_DELAY_MILLIS));
      entries.add(
          new LedgerEntry(
              plan.prefix() + i, LedgerRoute.random(random), begin.plusMillis(scheduled + delay)));
    }
    return entries;
  }

  private void await(
      List<LedgerEntry> entries, Scheduling scheduling, FaultRun faults, OpenStore open)
      throws InterruptedException {
    Instant begin = Instant.now();
    Thread caller =
        new Thread(
            () -> {
              try {
                scheduling.run(
                    entries,
                    begin,
                    Duration.ofMillis((long) (plan.length().toMillis() * SCHEDULING)));
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // patience is over, or Ctrl-C
              }
            },
            "pocketwatch-faults");
    caller.setDaemon(true);
    caller.start();
    try (RoundProgress progress = new RoundProgress(screen, plan.messages())) {
      Instant lastChange = begin.plus(plan.length());
      int handled = 0;
      while (handled < plan.messages() && Instant.now().isBefore(lastChange.plus(PATIENCE))) {
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        int now = handled(open, handled);
        if (now != handled && Instant.now().isAfter(lastChange)) {
          lastChange = Instant.now();
        }
        handled = now;
        progress.show(scheduling.confirmed(), handled);
      }
    } finally {
      caller.interrupt();
    }
    faults.awaitEnd(FAULTS_END);
  }

  private int handled(OpenStore open, int before) {
    try {
      return Effects.count(open.pool(), plan.prefix());
    } catch (SQLException e) {
      return before; // being killed
    }
  }

  private void explain(
      List<LedgerEntry> entries, Scheduling scheduling, OpenStore open, RoundResult result)
      throws SQLException {
    scheduling.refused().entrySet().stream()
        .limit(MISSING_SHOWN)
        .forEach(each -> screen.detail(each.getKey() + " was refused: " + each.getValue()));
    if (result.lost() == 0) {
      return;
    }
    Map<String, Long> effects = Effects.read(open.pool(), plan.prefix());
    screen.detail(Numbers.count(result.lost()) + " have no effect, among them:");
    entries.stream()
        .filter(entry -> entry.confirmed() && !effects.containsKey(entry.id()))
        .limit(MISSING_SHOWN)
        .forEach(
            entry ->
                screen.detail(
                    "  due %s, in the store: %s"
                        .formatted(
                            entry.deliverAt(),
                            open.store()
                                .find(new MessageKey(entry.route().queue(), entry.id()))
                                .map(Object::toString)
                                .orElse("nothing"))));
  }
}
