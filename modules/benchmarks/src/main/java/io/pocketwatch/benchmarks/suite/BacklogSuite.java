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
import java.util.Optional;

/** What many messages that are held for hours do to those that pass meanwhile, and to memory. */
public final class BacklogSuite implements Suite {
  private static final int RATE = 4_000;
  private static final Due HOURS = Due.within(Duration.ofHours(2), Duration.ofHours(26));

  private final List<Subject> subjects;

  /** Subjects of one fixed delay cannot hold for hours; they are left out. */
  public BacklogSuite(List<Subject> subjects) {
    this.subjects = subjects.stream().filter(each -> each.fixedDelay().isEmpty()).toList();
  }

  @Override
  public String name() {
    return "backlog";
  }

  @Override
  public String question() {
    return "publish rate, lateness, memory and restart time while 0 to 1,000,000 messages are held";
  }

  @Override
  public BenchOptions defaults() {
    return BenchOptions.full().withRate(RATE, BenchOptions.full().length());
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
            .flatMap(
                subject ->
                    session.options().held().stream()
                        .map(held -> new Case(subject, Map.of("held", held, "rate", rate))))
            .toList();
    Rounds.run(session, cases, each -> round(session, each));
    return session.results(this, cases, ratios(cases), true);
  }

  /** Each by the same subject with the least held. */
  private static Map<String, Double> ratios(List<Case> cases) {
    Ratios ratios = new Ratios(cases);
    for (Case each : cases) {
      Case least =
          cases.stream()
              .filter(other -> other.subject().name().equals(each.subject().name()))
              .findFirst()
              .orElseThrow();
      if (least != each) {
        ratios.between(each, least, "publish", Outcome::publishPerSecond);
        ratios.between(each, least, "p99", one -> Medians.millis(one.lateness(), 99));
        ratios.between(each, least, "broker memory", Outcome::brokerRssBytes);
      }
    }
    return ratios.asMap();
  }

  private static Outcome round(Session session, Case each) throws Exception {
    Subject subject = each.subject();
    List<Server> servers = subject.servers(session.ground());
    Ledger ledger = new Ledger();
    Trial trial = new Trial(session.ground(), subject, session.watch());
    int seconds = Math.toIntExact(session.options().length().toSeconds());
    Optional<Duration> restart = Optional.empty();
    Outcome late;
    try (Lane lane = subject.open(session.ground(), ledger)) {
      if (each.setting("held") > 0) {
        trial.run(Plan.atFullSpeed(each.setting("held"), HOURS, false), lane, ledger, servers);
      }
      Outcome published =
          trial.run(
              Plan.atFullSpeed(session.options().messages(), HOURS, false), lane, ledger, servers);
      late =
          trial
              .run(
                  Plan.atRate(each.setting("rate"), seconds, session.options().seconds()),
                  lane,
                  ledger,
                  servers)
              .withPublish(published);
      for (Server server : servers) {
        restart = server.restart();
      }
    }
    return late.withRestart(restart);
  }
}
