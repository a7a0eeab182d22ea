// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.suite;

import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.NotHereException;
import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.benchmarks.harness.Watch;
import io.pocketwatch.benchmarks.report.Machine;
import io.pocketwatch.benchmarks.report.Results;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** One run of a suite: its subjects, options and servers. */
public final class Session {
  private final Ground ground;
  private final BenchOptions options;
  private final Watch watch;
  private final List<Subject> subjects;
  private final Map<String, String> absent = new LinkedHashMap<>();
  private final Map<String, Histogram> lateness = new LinkedHashMap<>();

  /**
   * @param wanted subjects in the order of the results
   */
  public Session(Ground ground, BenchOptions options, Watch watch, List<Subject> wanted) {
    this.ground = ground;
    this.options = options;
    this.watch = watch;
    this.subjects = List.copyOf(wanted);
  }

  public Ground ground() {
    return ground;
  }

  public BenchOptions options() {
    return options;
  }

  public Watch watch() {
    return watch;
  }

  /** Lateness in microseconds by label, for the logs. */
  public Map<String, Histogram> lateness() {
    return lateness;
  }

  /**
   * The results of a suite from its cases.
   *
   * @param latenessMeans whether lateness is a figure of this suite
   */
  Results results(
      Suite suite, List<Case> cases, Map<String, Double> ratios, boolean latenessMeans) {
    if (latenessMeans) {
      cases.forEach(each -> lateness.put(each.label(), each.lateness()));
    }
    Map<String, Object> machine = new LinkedHashMap<>(Machine.describe());
    machine.put("servers", ground.describe());
    return new Results(
        suite.name(),
        machine,
        options.asMap(),
        cases.stream().map(each -> Medians.figures(each, latenessMeans)).toList(),
        ratios,
        absent);
  }

  /** Starts the servers of these subjects; those that cannot run here are left out, and told. */
  List<Subject> present() throws Exception {
    List<Subject> present = new ArrayList<>();
    for (Subject subject : subjects) {
      try {
        subject.servers(ground);
        present.add(subject);
      } catch (NotHereException e) {
        absent.put(subject.name(), String.valueOf(e.getMessage()));
        watch.say(subject.name() + " is left out: " + e.getMessage());
      }
    }
    return present;
  }
}
