// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.suite;

import io.pocketwatch.benchmarks.harness.Due;
import io.pocketwatch.benchmarks.harness.Lane;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Outcome;
import io.pocketwatch.benchmarks.harness.Plan;
import io.pocketwatch.benchmarks.harness.Server;
import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.benchmarks.harness.Trial;
import io.pocketwatch.benchmarks.report.Results;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Whether lateness or memory drift when nothing changes for half an hour. */
public final class LongRunSuite implements Suite {
  private static final int RATE = 1_000;
  private static final Duration LENGTH = Duration.ofMinutes(30);

  private final List<Subject> subjects;

  public LongRunSuite(List<Subject> subjects) {
    this.subjects = List.copyOf(subjects);
  }

  @Override
  public String name() {
    return "longrun";
  }

  @Override
  public String question() {
    return "lateness and memory, minute by minute, at a steady rate";
  }

  @Override
  public BenchOptions defaults() {
    return BenchOptions.full().withRate(RATE, LENGTH).withRounds(1, 0);
  }

  @Override
  public List<Subject> subjects() {
    return subjects;
  }

  @Override
  public Results run(Session session) throws Exception {
    int rate = session.options().rates().get(0);
    List<Case> cases =
        session.present().stream()
            .filter(subject -> subject.expectedPerSecond() >= rate)
            .map(subject -> new Case(subject, Map.of("rate", rate)))
            .toList();
    Rounds.run(session, cases, each -> round(session, each));
    return session.results(this, cases, Map.of(), true);
  }

  private static Outcome round(Session session, Case each) throws Exception {
    Subject subject = each.subject();
    List<Server> servers = subject.servers(session.ground());
    Ledger ledger = new Ledger();
    int seconds = Math.toIntExact(session.options().length().toSeconds());
    Due due = subject.fixedDelay().map(Due::after).orElse(session.options().seconds());
    Duration step = seconds < 120 ? Duration.ofSeconds(1) : Duration.ofMinutes(1);
    try (Lane lane = subject.open(session.ground(), ledger);
        Minutes minutes = new Minutes(ledger, servers, step)) {
      Outcome outcome =
          new Trial(session.ground(), subject, session.watch())
              .run(Plan.atRate(each.setting("rate"), seconds, due), lane, ledger, servers);
      return outcome.withMinutes(minutes.lines());
    }
  }
}
