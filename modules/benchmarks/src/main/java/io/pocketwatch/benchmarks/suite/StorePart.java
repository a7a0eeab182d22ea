// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.suite;

import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.benchmarks.peer.sql.SqlSubject;
import io.pocketwatch.benchmarks.subject.StoreSubject;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/** The parts of the store suite, and which subjects take part in them. */
enum StorePart {
  /** Rows stored per second. */
  SCHEDULE("schedule") {
    @Override
    List<Map<String, Object>> settings(Subject subject, BenchOptions options) {
      // How often they poll makes no difference here.
      return POLLING_VARIANTS.contains(subject.name()) ? List.of() : List.of(Map.of(KEY, word()));
    }
  },

  /** Rows that become held messages, or executions, per second. */
  LOAD("load") {
    @Override
    List<Map<String, Object>> settings(Subject subject, BenchOptions options) {
      boolean loads = subject instanceof StoreSubject ours && ours.isHeldByBroker();
      if (!loads && !subject.name().equals("db-scheduler-best")) {
        return List.of();
      }
      return LongStream.of(FEW_ROWS, options.rows())
          .filter(rows -> rows >= FEW_ROWS)
          .distinct()
          .mapToObj(rows -> Map.<String, Object>of(KEY, word(), "rows", Math.toIntExact(rows)))
          .toList();
    }
  },

  /** From the first schedule to the last settled. */
  END_TO_END("end-to-end") {
    @Override
    List<Map<String, Object>> settings(Subject subject, BenchOptions options) {
      return subject.name().equals("db-scheduler") || POLLING_VARIANTS.contains(subject.name())
          ? List.of()
          : List.of(Map.of(KEY, word()));
    }
  },

  /** At steady rates: hardly any work, what most can keep up with, and more. */
  LATENESS("lateness") {
    @Override
    List<Map<String, Object>> settings(Subject subject, BenchOptions options) {
      int highest = Math.min(Collections.max(options.rates()), subject.expectedPerSecond());
      return RATES.stream()
          .map(rate -> Math.min(rate, highest))
          .distinct()
          .map(rate -> Map.<String, Object>of(KEY, word(), "rate", rate))
          .toList();
    }
  };

  /** So many rows are in every table: nobody's is empty, and planners know it. */
  static final int FEW_ROWS = 10_000;

  private static final String KEY = "part";
  private static final List<Integer> RATES = List.of(200, 1_000, 3_000);
  private static final Set<String> POLLING_VARIANTS =
      Set.of("db-scheduler-1s", "db-scheduler-100ms");

  private final String word;

  StorePart(String word) {
    this.word = word;
  }

  /** What it varies for that subject; empty if the subject takes no part. */
  abstract List<Map<String, Object>> settings(Subject subject, BenchOptions options);

  String word() {
    return word;
  }

  static StorePart of(Case measured) {
    for (StorePart part : values()) {
      if (part.word.equals(measured.setting().get(KEY))) {
        return part;
      }
    }
    throw new IllegalArgumentException("no part: " + measured.label());
  }

  /** Without a store it only shows what a message costs that nobody delays, at the same rates. */
  boolean takes(Subject subject) {
    return this == LATENESS || subject instanceof SqlSubject;
  }

  static boolean ours(Subject subject) {
    return subject instanceof StoreSubject;
  }
}
