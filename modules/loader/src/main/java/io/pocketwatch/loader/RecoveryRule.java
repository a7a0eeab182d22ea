// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.route.LoaderOptions;
import io.pocketwatch.store.Overdue;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What to do about the overdue messages of a route: evidence decides, not time alone, because a
 * stopped consumer, a backlog and the user's own retries look the same as a loss.
 */
final class RecoveryRule {
  static final int CAP = 500;
  static final int PROBE = 10;

  private RecoveryRule() {}

  /** What to do. */
  enum Kind {
    /** Nothing yet: the route is at work, or what was sent again has not been through. */
    WAIT,
    /** Nothing settles on the route: its consumer is presumed down. */
    SILENT,
    /** They were overtaken: send them again. */
    RETURN,
    /** Silent for so long that a few are sent again, to see. */
    PROBE
  }

  /**
   * The decision.
   *
   * @param dueBefore which of the overdue messages it is about
   * @param limit at most so many
   */
  record Decision(Kind kind, Instant dueBefore, int limit) {}

  /**
   * What was sent again last.
   *
   * @param at when
   * @param overdue how many were overdue then
   * @param count how many of them were sent again
   */
  record Released(Instant at, long overdue, int count) {}

  /**
   * @param grace what is due before this is overdue
   * @param watchedSince since when broker and loader have been connected without a break
   * @param last what was sent again last, or null
   * @param arrived whether nothing of the route that is overdue waits to be handed over
   */
  static Decision decide(
      Overdue overdue,
      LoaderOptions options,
      Instant now,
      Instant watchedSince,
      @Nullable Released last,
      boolean arrived) {
    Instant dueBefore = now.minus(options.grace());
    Instant settled = overdue.lastSettledAt();
    boolean atWork = settled != null && settled.isAfter(dueBefore);
    Instant passed = passed(overdue.settledDueUpTo(), atWork, options.grace());
    if (passed != null && overdue.oldest().isBefore(passed)) {
      Instant overtaken = passed.isBefore(dueBefore) ? passed : dueBefore;
      if (mayReturn(overdue, passed, last, arrived)) {
        return new Decision(Kind.RETURN, overtaken, CAP);
      }
    }
    if (atWork) {
      return new Decision(Kind.WAIT, dueBefore, 0);
    }
    Instant since = later(later(overdue.oldest(), settled), watchedSince);
    Instant quiet = last == null ? since : later(since, last.at);
    boolean tooLong = Duration.between(quiet, now).compareTo(options.maxSilence()) > 0;
    return tooLong
        ? new Decision(Kind.PROBE, dueBefore, PROBE)
        : new Decision(Kind.SILENT, dueBefore, 0);
  }

  /**
   * Up to which instant everything has been through the queue. It is in order of arrival, not of
   * instants: while consumers are at work, what is due a little before what they have reached may
   * be right behind it, and a backlog of a busy moment is mixed by seconds.
   */
  private static @Nullable Instant passed(
      @Nullable Instant reached, boolean atWork, Duration grace) {
    return reached != null && atWork ? reached.minus(grace) : reached;
  }

  /**
   * What was sent again has the same instants as before, so they prove nothing: either something
   * due after that was settled, or as many have been begun as were sent.
   */
  private static boolean mayReturn(
      Overdue overdue, Instant passed, @Nullable Released last, boolean arrived) {
    return last == null
        || passed.isAfter(last.at)
        || arrived
            && last.count > 0
            && settledSince(overdue, last)
            && overdue.count() <= last.overdue - last.count;
  }

  private static boolean settledSince(Overdue overdue, Released last) {
    Instant settled = overdue.lastSettledAt();
    return settled != null && settled.isAfter(last.at);
  }

  private static Instant later(Instant one, @Nullable Instant other) {
    return other != null && other.isAfter(one) ? other : one;
  }
}
