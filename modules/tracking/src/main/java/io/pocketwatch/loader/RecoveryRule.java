// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.store.LoadingStore.ConsumerProgress;
import io.pocketwatch.store.LoadingStore.Overdue;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides what to do about the overdue messages of a route: by evidence, not by time alone. For a
 * stopped consumer, a backlog and the user's own retries look like a loss.
 *
 * @param overdue the messages, and how far the route's consumers have come
 * @param options grace and longest silence
 * @param now by the clock of the store
 * @param watchedSince since when broker and loader have been connected without a break
 * @param last the last messages sent again, or null
 * @param arrived whether nothing of the route that is overdue waits to be handed off
 */
record RecoveryRule(
    Overdue overdue,
    LoaderOptions options,
    Instant now,
    Instant watchedSince,
    @Nullable Returned last,
    boolean arrived) {
  static final int CAP = 500;
  static final int PROBE = 10;

  /** What to do. */
  enum Kind {
    /** Nothing yet: the route is at work, or the messages sent again have not been through. */
    WAIT,
    /** The route, or one of its consumers, settles nothing and is presumed down. */
    SILENT,
    /** They were overtaken: send them again. */
    RETURN,
    /** Silent for so long that a few are sent again, as a probe. */
    PROBE
  }

  /**
   * The decision.
   *
   * @param dueBefore only messages due before this
   * @param limit at most so many
   */
  record Decision(Kind kind, Instant dueBefore, int limit) {}

  /**
   * What was sent again last.
   *
   * @param at when
   * @param notBegun how many of the route were overdue then and not begun
   * @param count how many of them were sent again
   */
  record Returned(Instant at, long notBegun, int count) {}

  Decision decide() {
    List<ConsumerProgress> all = overdue.consumers();
    Instant settled = lastSettled();
    boolean atWork = settled != null && settled.isAfter(graceAgo());
    Instant passed = passed(all, atWork);
    if (overtaken(passed)) {
      if (last == null || passed.isAfter(last.at) || wentThrough(last)) {
        return of(Kind.RETURN, passed, CAP);
      }
    } else {
      Instant passedByHeard = passed(heard(), atWork);
      if (overtaken(passedByHeard)) {
        return withoutTheUnheard(passedByHeard);
      }
    }
    if (atWork) {
      return of(Kind.WAIT, now, 0);
    }
    return last != null && wentThrough(last)
        ? of(Kind.RETURN, now, CAP) // and nothing came behind those: the queue was empty
        : silence(later(overdue.oldest(), settled), now);
  }

  /**
   * Some consumers have settled nothing for long, and hold back the evidence of the others. If they
   * are stopped, these messages wait for them; if they are renamed, idle or gone, the messages are
   * lost. The fate of a few tells which.
   */
  private Decision withoutTheUnheard(Instant passed) {
    return last != null && wentThrough(last)
        ? of(Kind.RETURN, passed, CAP)
        : silence(overdue.oldest(), passed);
  }

  private Decision silence(Instant since, Instant dueBefore) {
    Instant watched = later(since, watchedSince);
    Instant quiet = last == null ? watched : later(watched, last.at);
    return quiet.isBefore(now.minus(options.maxSilence()))
        ? of(Kind.PROBE, dueBefore, PROBE)
        : of(Kind.SILENT, dueBefore, 0);
  }

  private Decision of(Kind kind, Instant dueBefore, int limit) {
    Instant latest = graceAgo();
    return new Decision(kind, dueBefore.isBefore(latest) ? dueBefore : latest, limit);
  }

  private Instant graceAgo() {
    return now.minus(options.grace());
  }

  private List<ConsumerProgress> heard() {
    Instant since = now.minus(options.maxSilence());
    return overdue.consumers().stream()
        .filter(each -> each.lastSettledAt().isAfter(since))
        .toList();
  }

  private @Nullable Instant lastSettled() {
    return overdue.consumers().stream()
        .map(ConsumerProgress::lastSettledAt)
        .max(Comparator.naturalOrder())
        .orElse(null);
  }

  /**
   * The instant up to which all messages have been through the queues of these consumers. A queue
   * is in the order of arrival, not of instants. While consumers are at work, a message that is due
   * a little earlier may be right behind the one they have reached. A backlog of a busy moment is
   * mixed by seconds.
   */
  private Instant passed(List<ConsumerProgress> consumers, boolean atWork) {
    Instant reached =
        consumers.stream()
            .map(ConsumerProgress::settledDueUpTo)
            .min(Comparator.naturalOrder())
            .orElse(Instant.EPOCH);
    return atWork ? reached.minus(options.grace()) : reached;
  }

  private boolean overtaken(Instant passed) {
    return overdue.oldest().isBefore(passed);
  }

  /**
   * Whether the messages sent again were begun. They have the same instants as before, which prove
   * nothing, so their number must tell.
   */
  private boolean wentThrough(Returned last) {
    Instant settled = lastSettled();
    return arrived
        && last.count > 0
        && settled != null
        && settled.isAfter(last.at)
        && overdue.notBegun() <= last.notBegun - last.count;
  }

  private static Instant later(Instant one, @Nullable Instant other) {
    return other != null && other.isAfter(one) ? other : one;
  }
}
