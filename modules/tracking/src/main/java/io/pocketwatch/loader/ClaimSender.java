// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.PublishOutcome;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.HandOffResult.Problem;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sends claimed messages and waits for their verdicts. */
@FunctionalInterface
interface ClaimSender {
  /**
   * @param alone whether nothing else of this loader may be under way meanwhile
   */
  SendResult send(List<Claim> group, boolean alone);

  /**
   * What came of sending a group. What only concerns one message ({@code HOLD}, {@code TARGET},
   * {@code REFUSED}, {@code MESSAGE}) is told by its result alone.
   *
   * @param results of those that were sent
   * @param unsent those that were not tried any more
   * @param away why there is no use in going on now, or null
   */
  record SendResult(List<HandOffResult> results, List<Claim> unsent, @Nullable String away) {
    /** Sent, and then their channel was gone: one of them may have closed it. */
    List<HandOffResult> suspects() {
      return results.stream()
          .filter(result -> result.problem() == Problem.BROKER)
          .filter(result -> result.outcome() == PublishOutcome.UNCERTAIN)
          .toList();
    }

    /** Not taken by the broker, and surely not there: no free place in flight, perhaps. */
    List<HandOffResult> notTaken() {
      return results.stream()
          .filter(result -> result.problem() == Problem.BROKER)
          .filter(result -> result.outcome() != PublishOutcome.UNCERTAIN)
          .toList();
    }
  }
}
