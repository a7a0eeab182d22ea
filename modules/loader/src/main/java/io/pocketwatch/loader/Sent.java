// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.PublishOutcome;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.HandOverResult;
import io.pocketwatch.store.HandOverResult.Problem;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of sending a group. What only concerns one message ({@code HOLD}, {@code TARGET},
 * {@code REFUSED}, {@code MESSAGE}) is told by its result alone.
 *
 * @param results of those that were sent
 * @param unsent those that were not tried any more
 * @param away why there is no use in going on now, or null
 */
record Sent(List<HandOverResult> results, List<Claim> unsent, @Nullable String away) {
  /** Sent, and then their channel was gone: one of them may have closed it. */
  List<HandOverResult> suspects() {
    return results.stream()
        .filter(result -> result.problem() == Problem.BROKER)
        .filter(result -> result.outcome() == PublishOutcome.UNCERTAIN)
        .toList();
  }

  /** Not taken by the broker, and surely not there: no free place in flight, perhaps. */
  List<HandOverResult> notTaken() {
    return results.stream()
        .filter(result -> result.problem() == Problem.BROKER)
        .filter(result -> result.outcome() != PublishOutcome.UNCERTAIN)
        .toList();
  }
}
