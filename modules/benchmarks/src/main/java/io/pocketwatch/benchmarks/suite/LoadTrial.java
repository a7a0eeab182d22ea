// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.suite;

import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Outcome;
import io.pocketwatch.benchmarks.harness.Plan;
import io.pocketwatch.benchmarks.harness.Server;
import io.pocketwatch.benchmarks.harness.Trial;
import io.pocketwatch.benchmarks.peer.sql.SqlLane;
import io.pocketwatch.benchmarks.peer.sql.SqlSubject;
import io.pocketwatch.benchmarks.subject.StoreLane;
import io.pocketwatch.loader.LoadReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Rows that lie ready. Ours are handed to the broker, to be held there for ten minutes or more. A
 * scheduler's are due, and are executed.
 */
final class LoadTrial {
  private static final Duration HELD = Duration.ofMinutes(10);

  private final Session session;
  private final SqlSubject subject;

  LoadTrial(Session session, SqlSubject subject) {
    this.session = session;
    this.subject = subject;
  }

  /**
   * @param behind other rows in the table
   */
  Outcome run(int behind) throws Exception {
    Ledger ledger = new Ledger();
    try (SqlLane lane = subject.prepare(session.ground(), ledger)) {
      lane.fill(behind);
      Outcome outcome = lane instanceof StoreLane ours ? load(ours) : execute(lane, ledger);
      session
          .watch()
          .say(
              String.format(
                  Locale.ROOT,
                  "%s: %,.0f rows/s with %,d behind",
                  subject.name(),
                  outcome.drainPerSecond(),
                  behind));
      return outcome;
    }
  }

  private Outcome load(StoreLane lane) throws Exception {
    int messages = session.options().messages();
    lane.store(messages, Instant.now().plus(HELD), HELD);
    lane.database().settle();
    long start = System.nanoTime();
    LoadReport report = lane.load();
    double seconds = (System.nanoTime() - start) / 1e9;
    long held = lane.held();
    String problem =
        held == messages ? null : "%s of %s held: %s".formatted(held, messages, report);
    return outcome(messages, held, seconds, problem);
  }

  private Outcome execute(SqlLane lane, Ledger ledger) throws Exception {
    long due = System.currentTimeMillis();
    Plan plan = Plan.atFullSpeed(session.options().messages(), (random, start, now) -> due, true);
    LateStart late = new LateStart(lane);
    Outcome outcome =
        new Trial(session.ground(), subject, session.watch())
            .run(plan, late, ledger, subject.servers(session.ground()));
    return Drained.longerBy((due - late.startedMillis()) / 1e3, outcome);
  }

  private Outcome outcome(int messages, long held, double seconds, @Nullable String problem)
      throws Exception {
    long memory = subject.servers(session.ground()).stream().mapToLong(Server::residentBytes).sum();
    return new Outcome(
        messages,
        messages,
        held,
        0,
        0,
        0,
        0,
        held / seconds,
        new Histogram(3),
        memory,
        0,
        0,
        problem,
        null,
        List.of());
  }
}
