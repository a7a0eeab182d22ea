// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a {@link Beginning}.
 *
 * @param verdict what to do with the copy
 * @param busyUntil set only with {@code BUSY}: when the other's lease ends
 * @param unexpected only with {@code HANDLE}: other consumers have settled the message before, as
 *     many as its route expects
 */
public record Begun(Verdict verdict, @Nullable Instant busyUntil, boolean unexpected) {

  /** An answer that says no more than that; not for {@code BUSY}. */
  public static Begun of(Verdict verdict) {
    return new Begun(verdict, null, false);
  }

  public static Begun busy(Instant until) {
    return new Begun(Verdict.BUSY, until, false);
  }

  public static Begun handle(boolean unexpected) {
    return new Begun(Verdict.HANDLE, null, unexpected);
  }

  /** What to do with a copy that has arrived. */
  public enum Verdict {
    /** Handle it, then end the handling. */
    HANDLE,
    /** This consumer has settled it before. Skip. */
    SETTLED,
    /** It was cancelled. Skip. */
    CANCELLED,
    /** It was rescheduled; the copy is of an earlier generation. Skip. */
    OUTDATED,
    /** Another handling of the same consumer is under way. Hold again, never skip. */
    BUSY,
    /** No such row. Handle it, and count it: it may be history, or another database's. */
    UNKNOWN,
    /** Somebody else has locked the row, so nothing is known. Ask again. */
    LOCKED
  }
}
