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

  /** No subject is given more than it takes in so many seconds. */
  private static final int MOST_SECONDS = 15;

  private final String name;
  private final String question;
  private final List<Subject> subjects;
  private final List<String> bases;

  private ThroughputSuite(
      String name, String question, List<Subject> subjects, List<String> bases) {
    this.name = name;
    this.question = question;
    this.subjects = List.copyOf(subjects);
    this.bases = List.copyOf(bases);
  }

  /** Ours and the peers'. */
  public static Suite ofPeers(List<Subject> subjects) {
    return new ThroughputSuite(
        "throughput",
        "messages taken per second, and delivered per second when all are due at once",
        subjects,
        List.of(
            "undelayed",
            "undelayed-id",
            "undelayed-pocketwatch",
            "undelayed-3",
            "holds-1",
            "ladder-28"));
  }

  /** Variants of ours. */
  public static Suite ofParts(List<Subject> variants) {
    return new ThroughputSuite(
        "price",
        "what each part of the wheel's safety costs, as throughput without it",
        variants,
        List.of("wheel-quorum", "wheel-quorum-3"));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String question() {
    return question;
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
    bases.forEach(ratios::publish);
    bases.forEach(ratios::drain);
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
    Due burst = session.options().burst(timeToPublish(messages, published.publishPerSecond()));
    return trial.run(Plan.atFullSpeed(messages, burst, true)).withPublish(published);
  }

  /** The burst must not begin before everything is held. */
  static Duration timeToPublish(int messages, double perSecond) {
    return Duration.ofMillis((long) (1.5 * 1_000 * messages / perSecond) + 3_000);
  }
}
