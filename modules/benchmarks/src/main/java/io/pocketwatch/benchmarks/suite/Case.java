// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.suite;

import io.pocketwatch.benchmarks.harness.Outcome;
import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.benchmarks.report.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** A subject under one setting, and what its rounds found. */
final class Case {
  private final Subject subject;
  private final Map<String, Object> setting;
  private final List<Outcome> outcomes = new ArrayList<>();

  Case(Subject subject, Map<String, Object> setting) {
    this.subject = subject;
    this.setting = Map.copyOf(setting);
  }

  Subject subject() {
    return subject;
  }

  Map<String, Object> setting() {
    return setting;
  }

  /** The number of that setting. */
  int setting(String key) {
    return (Integer) setting.getOrDefault(key, 0);
  }

  void add(Outcome outcome) {
    outcomes.add(outcome);
  }

  /** The rounds that count, in order. */
  List<Outcome> outcomes() {
    return outcomes;
  }

  /** For example {@code wheel-quorum rate=4000}. */
  String label() {
    return Labels.of(subject.name(), setting);
  }

  /** Lateness over all rounds, in microseconds. */
  Histogram lateness() {
    Histogram sum = new Histogram(3);
    outcomes.forEach(outcome -> sum.add(outcome.lateness()));
    return sum;
  }
}
