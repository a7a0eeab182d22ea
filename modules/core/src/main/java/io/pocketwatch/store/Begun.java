// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The answer to {@link SettlingStore#begin}.
 *
 * @param verdict what to do with the copy
 * @param handling set only with {@code HANDLE}
 * @param busyUntil set only with {@code BUSY}: when the other's lease ends
 * @param unexpected set only with {@code HANDLE}: other consumers have settled the message before,
 *     as many as its route expects
 */
public record Begun(
    Verdict verdict, @Nullable Handling handling, @Nullable Instant busyUntil, boolean unexpected) {

  /** An answer that lets nobody handle the copy now. */
  public static Begun refused(Verdict verdict, @Nullable Instant busyUntil) {
    return new Begun(verdict, null, busyUntil, false);
  }

  /** {@code HANDLE}. */
  public static Begun handle(Handling handling, boolean unexpected) {
    return new Begun(Verdict.HANDLE, handling, null, unexpected);
  }

  /** What to do with a copy that has arrived. */
  public enum Verdict {
    /** Handle it, then settle. */
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
    UNKNOWN
  }
}
