// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardDecision.HoldAgain;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.springframework.amqp.core.Message;

/**
 * What came at the wrong time in a batch whose rest a listener handles. The container acknowledges
 * or returns them together: if it were held again before, each return would bring one copy more.
 *
 * @param patience for how long to try with each
 * @param refused is run when the broker has not taken one in that time
 */
record HeldBack(
    List<Later> copies, Duration patience, Runnable refused, Judge judge, Containers containers) {

  /** A copy that is to be held again. */
  record Later(Message message, HoldAgain decision) {}

  /** Returns whether the broker has all of them; else none of the batch must be given up. */
  boolean holdAgain() {
    DeliveryGuard guard = Objects.requireNonNull(judge.guard(), "guard");
    boolean held =
        copies.stream()
            .allMatch(
                copy -> HoldingAgain.hold(judge, guard, copy.message(), copy.decision(), patience));
    if (!held) {
      refused.run();
    }
    return held;
  }

  /** Whether they come again, with all of the batch, when their container is thrown that. */
  boolean comeAgain(Throwable thrown) {
    return containers.requeue(judge.queue(), thrown);
  }
}
