// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import java.util.List;
import java.util.Map;

/**
 * Compares what was scheduled with what happened.
 *
 * @param entries all messages of a round
 * @param effects by id, when each was handled
 */
record RoundAccount(List<LedgerEntry> entries, Map<String, Long> effects) {

  RoundResult result(
      int uncertain,
      int rejected,
      Arrivals.Summary arrivals,
      int deadLettered,
      int restartedThemselves,
      Map<FaultKind, Integer> kills) {
    int confirmed = 0;
    int handled = 0;
    int lost = 0;
    int early = 0;
    long worst = 0;
    for (LedgerEntry entry : entries) {
      confirmed += entry.confirmed() ? 1 : 0;
      Long at = effects.get(entry.id());
      if (at == null) {
        lost += entry.confirmed() ? 1 : 0;
        continue;
      }
      handled++;
      long lateness = at - entry.deliverAt().toEpochMilli();
      early += lateness < 0 ? 1 : 0;
      worst = Math.max(worst, lateness);
    }
    return new RoundResult(
        entries.size(),
        confirmed,
        handled,
        lost,
        early,
        arrivals.again(),
        arrivals.of(Arrivals.Step.SECOND_EFFECT),
        worst,
        uncertain,
        rejected,
        arrivals.of(Arrivals.Step.HELD_AGAIN),
        arrivals.of(Arrivals.Step.UNKNOWN),
        deadLettered,
        restartedThemselves,
        kills);
  }
}
