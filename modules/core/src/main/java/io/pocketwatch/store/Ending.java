// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a handling ends.
 *
 * @param reason for people; null with {@code SETTLE}, and may be with {@code RELEASE}
 * @param until when the next try is; set only with {@code POSTPONE}
 * @param epoch the life of the disk the copy for the next try will be held in, or null; what a row
 *     names already stays: if that is lost, one copy too many is sent, and not one too few
 */
public record Ending(
    Handling handling,
    Kind kind,
    @Nullable String reason,
    @Nullable Instant until,
    @Nullable String epoch) {

  /** The first, second and last are AMQP's acknowledge, reject and requeue. */
  public enum Kind {
    /** Done. The message is {@code SETTLED} once as many have settled as its route expects. */
    SETTLE,
    /**
     * Not done: {@code FAILED}, unless other consumers have parked or settled it, or it is {@code
     * PENDING} and to be sent again: since the broker has lost its disk, or nobody knows whether it
     * was sent, or other consumers of it have no copy yet.
     */
    FAIL,
    /** Not done, for the last time: {@code PARKED}, and kept for a human. */
    PARK,
    /**
     * Not done, and a copy is put on hold for the next try: {@code HELD} with a reason, with the
     * exceptions of {@code FAIL}. The copy is the only one, so it goes back like any other if its
     * disk is lost.
     */
    POSTPONE,
    /** Not run after all, or to be run again at once: the state stays, and a reason is noted. */
    RELEASE
  }

  public static Ending settle(Handling handling) {
    return new Ending(handling, Kind.SETTLE, null, null, null);
  }

  public static Ending fail(Handling handling, String reason) {
    return new Ending(handling, Kind.FAIL, reason, null, null);
  }

  public static Ending park(Handling handling, String reason) {
    return new Ending(handling, Kind.PARK, reason, null, null);
  }

  public static Ending postpone(
      Handling handling, Instant until, @Nullable String epoch, String reason) {
    return new Ending(handling, Kind.POSTPONE, reason, until, epoch);
  }

  public static Ending release(Handling handling, @Nullable String reason) {
    return new Ending(handling, Kind.RELEASE, reason, null, null);
  }
}
