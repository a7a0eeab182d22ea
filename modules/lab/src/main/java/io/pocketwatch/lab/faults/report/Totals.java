// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.report;

import io.pocketwatch.lab.faults.account.Figure;
import io.pocketwatch.lab.faults.account.RoundResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Several rounds added up.
 *
 * @param rounds which
 */
record Totals(List<RoundResult> rounds) {
  int of(Figure figure) {
    return rounds.stream().mapToInt(round -> round.of(figure)).sum();
  }

  long worstLatenessMs() {
    return rounds.stream().mapToLong(RoundResult::worstLatenessMs).max().orElse(0);
  }

  boolean sound() {
    return rounds.stream().allMatch(RoundResult::sound);
  }

  /** For the JSON object. */
  Map<String, Object> values() {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("rounds", rounds.size());
    values.put("kept", sound());
    for (Figure figure : Figure.values()) {
      values.put(figure.word(), of(figure));
    }
    values.put("worstLatenessMs", worstLatenessMs());
    return values;
  }
}
