// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.suite;

import io.pocketwatch.benchmarks.harness.Outcome;
import io.pocketwatch.benchmarks.harness.Plan;
import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.benchmarks.harness.Trial;
import io.pocketwatch.benchmarks.report.Results;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The top of the hour: very many messages due within the same second. */
public final class FanInSuite implements Suite {
  private static final int MESSAGES = 100_000;
  private static final int MOST_SECONDS = 30;

  private final List<Subject> subjects;

  /** Subjects of one fixed delay cannot be asked for that; they are left out. */
  public FanInSuite(List<Subject> subjects) {
    this.subjects = subjects.stream().filter(each -> each.fixedDelay().isEmpty()).toList();
  }

  @Override
  public String name() {
    return "fanin";
  }

  @Override
  public String question() {
    return "how long it takes to deliver 100,000 messages that are due in the same second";
  }

  @Override
  public BenchOptions defaults() {
    return BenchOptions.full().withMessages(MESSAGES);
  }

  @Override
  public List<Subject> subjects() {
    return subjects;
  }

  @Override
  public Results run(Session session) throws Exception {
    List<Case> cases =
        session.present().stream().map(subject -> new Case(subject, Map.of())).toList();
    Rounds.run(session, cases, each -> round(session, each.subject()));
    Ratios ratios = new Ratios(cases);
    ratios.drain("ladder-28");
    return session.results(this, cases, ratios.asMap(), true);
  }

  private static Outcome round(Session session, Subject subject) throws Exception {
    int messages =
        Math.min(session.options().messages(), subject.expectedPerSecond() * MOST_SECONDS);
    Duration after = ThroughputSuite.timeToPublish(messages, subject.expectedPerSecond());
    return new Trial(session.ground(), subject, session.watch())
        .run(Plan.atFullSpeed(messages, session.options().burst(after), true));
  }
}
