// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.suite;

import io.pocketwatch.benchmarks.harness.Due;
import io.pocketwatch.benchmarks.harness.Outcome;
import io.pocketwatch.benchmarks.harness.Plan;
import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.benchmarks.harness.Trial;
import io.pocketwatch.benchmarks.report.Results;
import java.util.List;
import java.util.Map;

/** How late messages arrive at a steady rate, with random delays of 1 to 30 s. */
public final class LatenessSuite implements Suite {

  private final List<Subject> subjects;

  public LatenessSuite(List<Subject> subjects) {
    this.subjects = List.copyOf(subjects);
  }

  @Override
  public String name() {
    return "lateness";
  }

  @Override
  public String question() {
    return "how late messages of random delays arrive, at several steady rates";
  }

  @Override
  public List<Subject> subjects() {
    return subjects;
  }

  @Override
  public Results run(Session session) throws Exception {
    List<Case> cases =
        session.present().stream()
            .flatMap(
                subject ->
                    session.options().rates().stream()
                        // What it can never keep up with tells nothing but that.
                        .filter(rate -> rate <= subject.expectedPerSecond())
                        .map(rate -> new Case(subject, Map.of("rate", rate))))
            .toList();
    Rounds.run(session, cases, each -> round(session, each));
    Ratios ratios = new Ratios(cases);
    ratios.against("undelayed", "p99", outcome -> Medians.millis(outcome.lateness(), 99));
    return session.results(this, cases, ratios.asMap(), true);
  }

  private static Outcome round(Session session, Case each) throws Exception {
    int seconds = Math.toIntExact(session.options().length().toSeconds());
    Due due = each.subject().fixedDelay().map(Due::after).orElse(session.options().seconds());
    return new Trial(session.ground(), each.subject(), session.watch())
        .run(Plan.atRate(each.setting("rate"), seconds, due));
  }
}
