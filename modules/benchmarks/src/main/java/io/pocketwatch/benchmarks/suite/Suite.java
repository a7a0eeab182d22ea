// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.suite;

import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.benchmarks.report.Results;
import java.util.List;

/** One question put to all subjects. */
public interface Suite {

  /** The word on the command line. */
  String name();

  /** What it measures, in a line. */
  String question();

  /** How it is run unless told otherwise. */
  default BenchOptions defaults() {
    return BenchOptions.full();
  }

  /** Subjects it makes sense for; those of {@code --peers} are taken from these. */
  List<Subject> subjects();

  /** Measures them; takes minutes to hours. */
  Results run(Session session) throws Exception;
}
