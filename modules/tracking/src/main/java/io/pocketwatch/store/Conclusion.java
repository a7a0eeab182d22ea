// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a claim ends.
 *
 * @param kind what becomes of its row
 * @param heldUntil with {@code SENT}: until when the broker may hold it, or when it was sent to its
 *     target; else null
 * @param pause with {@code POSTPONE}: before it may be claimed again, up to 365 days; else null
 * @param reason with {@code POSTPONE} and {@code PARK}, for people; else null
 * @param outcomeUnknown whether it was sent, and nobody knows whether the broker has it. Where
 *     copies are delivered unchecked, such a message can no longer be cancelled or rescheduled
 */
public record Conclusion(
    Claim claim,
    Kind kind,
    @Nullable Instant heldUntil,
    @Nullable Duration pause,
    @Nullable String reason,
    boolean outcomeUnknown) {
  /** What becomes of the row. */
  public enum Kind {
    /** The broker has confirmed it: the row is {@code HELD}. */
    SENT,
    /** The broker has confirmed it, and nobody tracks it: the row is deleted. */
    DELETE,
    /** The broker has not taken it: anyone may claim it at once. */
    GIVE_BACK,
    /** As {@code GIVE_BACK}, with one attempt more, and after a pause. */
    POSTPONE,
    /** It cannot be sent: the row is {@code PARKED}, and kept for a person. */
    PARK
  }

  public static Conclusion sent(Claim claim, Instant heldUntil) {
    return new Conclusion(claim, Kind.SENT, heldUntil, null, null, false);
  }

  public static Conclusion delete(Claim claim) {
    return new Conclusion(claim, Kind.DELETE, null, null, null, false);
  }

  public static Conclusion giveBack(Claim claim) {
    return new Conclusion(claim, Kind.GIVE_BACK, null, null, null, false);
  }

  public static Conclusion postpone(Claim claim, Duration pause, String reason) {
    return new Conclusion(claim, Kind.POSTPONE, null, pause, reason, false);
  }

  public static Conclusion park(Claim claim, String reason) {
    return new Conclusion(claim, Kind.PARK, null, null, reason, false);
  }

  /** A copy without the body and the properties, which no conclusion needs. */
  public Conclusion withoutContent() {
    Claim bare = claim.withoutContent();
    return new Conclusion(bare, kind, heldUntil, pause, reason, outcomeUnknown);
  }

  /** A copy for a message that the broker may have. */
  public Conclusion unknown() {
    return new Conclusion(claim, kind, heldUntil, pause, reason, true);
  }
}
