// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.suite;

import io.pocketwatch.benchmarks.harness.Outcome;
import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.benchmarks.report.Figures;
import io.pocketwatch.benchmarks.report.Results;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Ours through the store beside schedulers on the same PostgreSQL. It measures rows stored per
 * second, and rows handed to the broker per second beside executions of db-scheduler. It also
 * measures from schedule to settled, and lateness at an equal rate. No table is ever empty, and
 * what is loaded is also loaded out of a big one.
 */
public final class StoreSuite implements Suite {
  private final List<Subject> subjects;

  /**
   * @param subjects each a {@code SqlSubject}, or one without a store, whose rates are measured
   */
  public StoreSuite(List<Subject> subjects) {
    this.subjects = List.copyOf(subjects);
  }

  @Override
  public String name() {
    return "store";
  }

  @Override
  public String question() {
    return "storing, loading, executing and lateness on the same PostgreSQL";
  }

  @Override
  public List<Subject> subjects() {
    return subjects;
  }

  @Override
  public Results run(Session session) throws Exception {
    List<Case> cases = new ArrayList<>();
    for (StorePart part : StorePart.values()) {
      for (Subject subject : session.present()) {
        if (part.takes(subject)) {
          part.settings(subject, session.options()).stream()
              .map(setting -> new Case(subject, setting))
              .forEach(cases::add);
        }
      }
    }
    StoreTrials trials = new StoreTrials(session);
    Rounds.run(session, cases, trials::run);
    return results(session, cases);
  }

  private Results results(Session session, List<Case> cases) {
    Map<String, Double> ratios = new LinkedHashMap<>();
    ratio(cases, StorePart.LOAD, "db-scheduler-best", "", Outcome::drainPerSecond, ratios);
    ratio(cases, StorePart.END_TO_END, "db-scheduler-best", "", Outcome::drainPerSecond, ratios);
    ratio(cases, StorePart.END_TO_END, "quartz", "", Outcome::drainPerSecond, ratios);
    ratio(cases, StorePart.END_TO_END, "quartz-batch", "", Outcome::drainPerSecond, ratios);
    for (String peer : List.of("db-scheduler", "db-scheduler-100ms", "db-scheduler-best")) {
      ratio(cases, StorePart.LATENESS, peer, " p99", StoreSuite::p99, ratios);
    }
    ratio(cases, StorePart.LATENESS, "undelayed", " CPU", StoreSuite::cpu, ratios);
    Results speeds =
        session.results(this, only(cases, each -> each != StorePart.LATENESS), ratios, false);
    Results late =
        session.results(this, only(cases, each -> each == StorePart.LATENESS), ratios, true);
    List<Figures> figures =
        Stream.of(speeds, late).flatMap(each -> each.subjects().stream()).toList();
    return new Results(name(), late.machine(), late.options(), figures, ratios, late.absent());
  }

  private static double p99(Outcome outcome) {
    return Medians.millis(outcome.lateness(), 99);
  }

  /** Of servers and client, per message. */
  private static double cpu(Outcome outcome) {
    return outcome.brokerCpuMicros() + outcome.clientCpuMicros();
  }

  /** Ours by that peer, under the same setting. */
  private static void ratio(
      List<Case> cases,
      StorePart part,
      String peer,
      String figure,
      ToDoubleFunction<Outcome> value,
      Map<String, Double> ratios) {
    List<Case> those = only(cases, each -> each == part);
    for (Case our : those) {
      those.stream()
          .filter(each -> each.subject().name().equals(peer))
          .filter(each -> StorePart.ours(our.subject()))
          .filter(each -> each.setting().equals(our.setting()))
          .findFirst()
          .flatMap(other -> Medians.ratio(our, other, value))
          .ifPresent(
              ratio ->
                  ratios.put(
                      "%s/%s %s%s%s"
                          .formatted(our.subject().name(), peer, part.word(), figure, varied(our)),
                      ratio));
    }
  }

  private static String varied(Case our) {
    return Stream.of("rows", "rate")
        .filter(each -> our.setting(each) != 0)
        .map(each -> " %s=%s".formatted(each, our.setting(each)))
        .collect(Collectors.joining());
  }

  private static List<Case> only(List<Case> cases, Predicate<StorePart> wanted) {
    return cases.stream().filter(each -> wanted.test(StorePart.of(each))).toList();
  }
}
