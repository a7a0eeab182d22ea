// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.suite;

import io.pocketwatch.benchmarks.harness.Due;
import io.pocketwatch.benchmarks.harness.Outcome;
import io.pocketwatch.benchmarks.harness.Plan;
import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.benchmarks.harness.Trial;
import io.pocketwatch.benchmarks.report.Results;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How fast messages are taken, and how fast they come out when all are due in the same second.
 *
 * <p>Two trials per round: one publishes random delays of hours, nothing of which falls due, the
 * other a burst. Subjects of one fixed delay need only one.
 */
public final class ThroughputSuite implements Suite {
  private static final Due HOURS = Due.within(Duration.ofHours(1), Duration.ofHours(24));
  private static final Duration WINDOW = Duration.ofSeconds(1);

  /** No subject is given more than it takes in so many seconds. */
  private static final int MOST_SECONDS = 15;

  private final List<Subject> subjects;

  public ThroughputSuite(List<Subject> subjects) {
    this.subjects = List.copyOf(subjects);
  }

  @Override
  public String name() {
    return "throughput";
  }

  @Override
  public String question() {
    return "messages taken per second, and delivered per second when all are due at once";
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
    ratios.publish("undelayed");
    ratios.publish("undelayed-3");
    ratios.drain("undelayed");
    ratios.drain("undelayed-3");
    ratios.drain("ladder-28");
    return session.results(this, cases, ratios.asMap(), false);
  }

  private static Outcome round(Session session, Subject subject) throws Exception {
    int most = subject.expectedPerSecond() * MOST_SECONDS;
    int messages = Math.min(session.options().messages(), most);
    Trial trial = new Trial(session.ground(), subject, session.watch());
    if (subject.fixedDelay().isPresent()) {
      Due fixed = Due.after(subject.fixedDelay().orElseThrow());
      return trial.run(Plan.atFullSpeed(messages, fixed, true));
    }
    Outcome published = trial.run(Plan.atFullSpeed(messages, HOURS, false));
    Due burst = Due.burst(timeToPublish(messages, published.publishPerSecond()), WINDOW);
    return trial.run(Plan.atFullSpeed(messages, burst, true)).withPublish(published);
  }

  /** The burst must not begin before everything is held. */
  static Duration timeToPublish(int messages, double perSecond) {
    return Duration.ofMillis((long) (1.5 * 1_000 * messages / perSecond) + 3_000);
  }
}
