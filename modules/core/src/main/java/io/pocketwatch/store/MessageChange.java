// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import io.pocketwatch.config.DelayLimits;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is done to stored messages: to each what {@link SchedulingStore#cancel}, {@link
 * SchedulingStore#reschedule} or {@link SchedulingStore#release} does.
 *
 * @param kind which of them
 * @param to where messages are moved, or null
 * @param by how far they are moved, or null
 * @param asOf only for those that are moved: who was changed by hand at or after this instant is
 *     left out, so that each is moved once. Null for the store's present time
 */
public record MessageChange(
    Kind kind, @Nullable Instant to, @Nullable Duration by, @Nullable Instant asOf) {

  /** The longest that messages are moved by, both ways. */
  private static final Duration FARTHEST = Duration.ofDays(36_525);

  /** What is done. */
  public enum Kind {
    /** Cancelled. */
    CANCEL,
    /** Moved to another instant. */
    RESCHEDULE,
    /** Given another try. */
    RELEASE
  }

  /**
   * @throws IllegalArgumentException if a move is out of range
   */
  public MessageChange {
    if ((kind == Kind.RESCHEDULE) != ((to == null) != (by == null))
        || (kind != Kind.RESCHEDULE && (to != null || by != null))) {
      throw new IllegalArgumentException(kind + ": a move, and no other change, is to or by");
    }
    if (to != null && to.isAfter(DelayLimits.LATEST)) {
      throw new IllegalArgumentException(
          "messages cannot be due at %s; the latest allowed: %s".formatted(to, DelayLimits.LATEST));
    }
    if (by != null && by.abs().compareTo(FARTHEST) > 0) {
      throw new IllegalArgumentException(
          "messages cannot be moved by %s; allowed: up to %d days, earlier or later"
              .formatted(by, FARTHEST.toDays()));
    }
  }

  public static MessageChange cancel() {
    return new MessageChange(Kind.CANCEL, null, null, null);
  }

  /** Moves them to one instant, at the latest {@link DelayLimits#LATEST}. */
  public static MessageChange moveTo(Instant deliverAt) {
    return new MessageChange(Kind.RESCHEDULE, deliverAt, null, null);
  }

  /** Moves each from where it is: later, or earlier if it is negative; up to a hundred years. */
  public static MessageChange moveBy(Duration by) {
    return new MessageChange(Kind.RESCHEDULE, null, by, null);
  }

  public static MessageChange release() {
    return new MessageChange(Kind.RELEASE, null, null, null);
  }

  /** The same as a part of what began then. */
  public MessageChange asOf(Instant began) {
    return new MessageChange(kind, to, by, began);
  }
}
