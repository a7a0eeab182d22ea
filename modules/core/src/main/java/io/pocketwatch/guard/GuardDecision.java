// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.store.Begun;
import io.pocketwatch.store.Handling;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What is to be done with a copy that has arrived. */
public sealed interface GuardDecision {

  /**
   * Do its work.
   *
   * @param basis what that rests on
   * @param handling what to settle afterwards; set with {@link Basis#TRACKED} only
   */
  record Deliver(Basis basis, @Nullable Handling handling) implements GuardDecision {}

  /**
   * Acknowledge it; its work is not to be done.
   *
   * @param verdict settled, cancelled or outdated
   */
  record Skip(Begun.Verdict verdict) implements GuardDecision {}

  /**
   * Put it back on hold, see {@link io.pocketwatch.store.HandOver#holdAgain}.
   *
   * @param until when it is to arrive again, on the clock it was judged by
   */
  record HoldAgain(Instant until, Reason reason) implements GuardDecision {}

  /** Nobody knows. Neither handle nor acknowledge it; ask again later. */
  record Wait(RuntimeException cause) implements GuardDecision {}

  /** What a decision to deliver rests on. */
  enum Basis {
    /** The store says so, and nobody else is told so while the handling's lease lasts. */
    TRACKED,
    /** It has no row to match. */
    UNTRACKED,
    /** The store does not know it: it may be history, or another database's. */
    UNKNOWN,
    /** The store did not answer, and the options say to deliver then. */
    UNCHECKED
  }

  /** Why a copy is held again. */
  enum Reason {
    /** Its instant has not come. */
    EARLY,
    /** Another handling of the same consumer is under way. */
    BUSY
  }
}
