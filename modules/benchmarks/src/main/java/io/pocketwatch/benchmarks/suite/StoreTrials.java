// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.suite;

import io.pocketwatch.benchmarks.harness.Due;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Outcome;
import io.pocketwatch.benchmarks.harness.Plan;
import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.benchmarks.harness.Trial;
import io.pocketwatch.benchmarks.peer.sql.SqlLane;
import io.pocketwatch.benchmarks.peer.sql.SqlSubject;
import java.time.Duration;

/** One trial of each part of the store suite. */
final class StoreTrials {
  /** Beyond every horizon: only stored. */
  private static final Due LATER = Due.within(Duration.ofDays(30), Duration.ofDays(60));

  /** Long enough for ours to be held on the broker, with all the hops that takes. */
  private static final Duration SOON = Duration.ofSeconds(1);

  private static final Duration LONGEST = Duration.ofSeconds(30);

  /** No subject is given more than it takes in so many seconds. */
  private static final int MOST_SECONDS = 15;

  private final Session session;

  StoreTrials(Session session) {
    this.session = session;
  }

  Outcome run(Case measured) throws Exception {
    if (!(measured.subject() instanceof SqlSubject subject)) {
      return undelayed(measured);
    }
    return switch (StorePart.of(measured)) {
      case SCHEDULE -> trial(subject, Plan.atFullSpeed(messages(subject), LATER, false));
      case LOAD -> new LoadTrial(session, subject).run(measured.setting("rows"));
      case END_TO_END -> endToEnd(subject);
      case LATENESS -> trial(subject, Plan.atRate(measured.setting("rate"), seconds(), delays()));
    };
  }

  /** From the first ask, not from the first due instant. */
  private Outcome endToEnd(SqlSubject subject) throws Exception {
    Plan plan = Plan.atFullSpeed(messages(subject), Due.after(SOON), true);
    return Drained.longerBy(SOON.toMillis() / 1e3, trial(subject, plan));
  }

  private Outcome undelayed(Case measured) throws Exception {
    Plan plan = Plan.atRate(measured.setting("rate"), seconds(), Due.after(Duration.ZERO));
    return new Trial(session.ground(), measured.subject(), session.watch()).run(plan);
  }

  private int messages(Subject subject) {
    return Math.min(session.options().messages(), subject.expectedPerSecond() * MOST_SECONDS);
  }

  private int seconds() {
    return Math.toIntExact(session.options().length().toSeconds());
  }

  private Due delays() {
    Duration length = session.options().length();
    return Due.within(SOON, SOON.plus(length.compareTo(LONGEST) < 0 ? length : LONGEST));
  }

  private Outcome trial(SqlSubject subject, Plan plan) throws Exception {
    Ledger ledger = new Ledger();
    try (SqlLane lane = subject.prepare(session.ground(), ledger)) {
      lane.fill(StorePart.FEW_ROWS);
      lane.database().settle();
      lane.start();
      return new Trial(session.ground(), subject, session.watch())
          .run(plan, lane, ledger, subject.servers(session.ground()));
    }
  }
}
