// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.process;

import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.TopologyException;
import io.pocketwatch.UnknownTargetException;
import io.pocketwatch.lab.faults.account.Lane;
import org.jspecify.annotations.Nullable;

/** Exceptions of a publish call that a later attempt need not meet. */
final class Refusals {
  private Refusals() {}

  /** A target that was deleted comes back, and a node that could not bind it has a leader again. */
  static boolean passing(@Nullable Throwable failure) {
    return failure instanceof UnknownTargetException || failure instanceof TopologyException;
  }

  /**
   * Whether a temporary queue may have it from an attempt without an answer: then it is not sent
   * again, for it would be held twice.
   */
  static boolean heldPerhaps(Lane lane, @Nullable Throwable failure) {
    return lane.way() == Lane.Way.TEMPORARY && failure instanceof InvalidMessageException;
  }
}
