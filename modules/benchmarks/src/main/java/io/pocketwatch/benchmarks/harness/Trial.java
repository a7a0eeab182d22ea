// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

/** One lane, opened, asked for a plan's messages, watched until they are there, and closed. */
public final class Trial {
  /** So long without any progress, nothing more is to be expected. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final long LOOK_MILLIS = 20;

  private final Ground ground;
  private final Subject subject;
  private final Watch watch;

  public Trial(Ground ground, Subject subject, Watch watch) {
    this.ground = ground;
    this.subject = subject;
    this.watch = watch;
  }

  /** A trial in a lane of its own. */
  public Outcome run(Plan plan) throws Exception {
    Ledger ledger = new Ledger();
    List<Server> servers = subject.servers(ground);
    try (Lane lane = subject.open(ground, ledger)) {
      return run(plan, lane, ledger, servers);
    }
  }

  /** A trial in a lane that is open, for instance with messages held in it. */
  public Outcome run(Plan plan, Lane lane, Ledger ledger, List<Server> servers) throws Exception {
    Calm.await(servers);
    ledger.next(plan.messages());
    Usage before = Usage.now(servers);
    long start = System.nanoTime();
    try (Watch.Line line = watch.line(subject.name(), plan, ledger)) {
      new Asking(lane, ledger, plan)
          .run(() -> line.show("confirms", ledger.confirmed(), plan.messages()));
      awaitProgress(
          "confirms", plan.messages(), () -> ledger.confirmed() + ledger.refused(), 0, line);
      if (plan.awaited()) {
        awaitProgress(
            "arrivals",
            plan.messages() - ledger.refused(),
            ledger::arrived,
            ledger.lastDue(),
            line);
      }
    }
    Usage used = Usage.now(servers).minus(before);
    return outcome(plan, ledger, start, servers, used);
  }

  /** Waits for the goal, or until nothing has moved for long although it should have. */
  private static void awaitProgress(
      String what, long goal, LongSupplier count, long notBeforeMillis, Watch.Line line)
      throws InterruptedException {
    long last = -1;
    long lastMove = System.nanoTime();
    while (true) {
      long now = count.getAsLong();
      line.show(what, now, goal);
      if (now >= goal) {
        return;
      }
      if (now != last || System.currentTimeMillis() < notBeforeMillis) {
        last = now;
        lastMove = System.nanoTime();
      } else if (System.nanoTime() - lastMove > PATIENCE.toNanos()) {
        return;
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  private static Outcome outcome(
      Plan plan, Ledger ledger, long startNanos, List<Server> servers, Usage used) {
    double publishSeconds = (ledger.lastConfirmedNanos() - startNanos) / 1e9;
    double drainSeconds = (ledger.lastArrivedMicros() - ledger.firstDue() * 1_000) / 1e6;
    return new Outcome(
        plan.messages(),
        ledger.confirmed(),
        // What was not waited for is not missing either.
        plan.awaited() ? ledger.arrived() : ledger.confirmed(),
        ledger.early(),
        ledger.worstEarlyMicros(),
        ledger.repeated(),
        ledger.confirmed() / publishSeconds,
        plan.awaited() ? ledger.arrived() / drainSeconds : 0,
        ledger.lateness(),
        servers.stream().mapToLong(Server::residentBytes).sum(),
        Usage.microsPer(used.servers(), plan.messages()),
        Usage.microsPer(used.client(), plan.messages()),
        ledger.refusal(),
        null,
        List.of());
  }
}
