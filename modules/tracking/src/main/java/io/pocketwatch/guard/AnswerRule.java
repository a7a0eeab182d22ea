// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.rows.RequeuedHold;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.SettlingStore.Postponement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides what a consumer's answer means for its message, and notifies the listener. */
final class AnswerRule {
  private static final Logger LOG = LoggerFactory.getLogger(AnswerRule.class);
  private static final String NOT_COMMITTED = "the transaction that settles it was not committed";

  private final DeliveryGuard guard;
  private final ChannelUse use;

  AnswerRule(DeliveryGuard guard, ChannelUse use) {
    this.guard = guard;
    this.use = use;
  }

  Answer said(Arrival arrived, Disposition answer) {
    boolean givenBack = answer == Disposition.REQUEUE && arrived.requeueMeansFailed;
    Disposition said =
        givenBack && !retries(arrived).isEmpty() ? Disposition.REJECT : answer; // or for ever
    Handling handling = arrived.handling;
    Throwable problem = arrived.problem;
    boolean failed = problem != null || said == Disposition.REJECT;
    Throwable cause = problem != null ? problem : new RejectedByConsumer();
    if (failed) {
      tellFailed(arrived, cause);
      if (said != Disposition.ACK && hasRetry(arrived)) { // ACK: a recoverer has it
        return nextRetry(arrived, cause);
      }
    }
    if (handling == null) {
      return Answer.toBroker(said);
    }
    if (!failed && said == Disposition.ACK && arrived.notCommitted) {
      LOG.warn("{} is given back: {}", arrived, NOT_COMMITTED);
      return Answer.toStore(Ending.requeue(handling, NOT_COMMITTED), Disposition.REQUEUE);
    }
    Ending ending =
        failed
            ? Ending.fail(handling, ErrorWords.of(cause))
            : said == Disposition.REQUEUE
                ? Ending.requeue(handling, null)
                : Ending.settle(handling);
    return Answer.toStore(ending, said);
  }

  /** The message has failed for good, whatever retries its route has. */
  Answer failed(Arrival arrived, Handling handling, Throwable cause) {
    tellFailed(arrived, cause);
    return Answer.toStore(Ending.fail(handling, ErrorWords.of(cause)), Disposition.REJECT);
  }

  /**
   * The message comes again at that instant. Requeued it might be dropped, or come at once.
   *
   * @param cause why the work is not done; null if it is only deferred
   */
  Answer deferred(Arrival arrived, Instant until, @Nullable Throwable cause) {
    if (cause != null) {
      tellFailed(arrived, cause);
    }
    String reason = cause == null ? "deferred by its consumer" : ErrorWords.of(cause);
    Instant now = guard.now();
    Instant then = until.isBefore(now) ? now : until; // calendars and databases end somewhere
    return again(arrived, then, false, reason);
  }

  boolean hasRetry(Arrival arrived) {
    return arrived.retries() < retries(arrived).size();
  }

  /** The message comes again after the next of its route's retries. */
  Answer retried(Arrival arrived, Throwable cause) {
    tellFailed(arrived, cause);
    return nextRetry(arrived, cause);
  }

  private Answer nextRetry(Arrival arrived, Throwable cause) {
    List<Duration> retries = retries(arrived);
    int used = arrived.retries();
    Duration pause = retries.get(used);
    String reason =
        "%s; retry %s of %s in %s"
            .formatted(ErrorWords.of(cause), used + 1, retries.size(), DurationText.format(pause));
    return again(arrived, guard.now().plus(pause), true, reason);
  }

  private Answer again(Arrival arrived, Instant until, boolean retry, String reason) {
    guard
        .listener()
        .onEvent(
            new ConsumerEvent.Deferred(
                arrived.consumer(),
                arrived.key(),
                guard.route(arrived),
                arrived.attempts() + 2,
                until));
    Handling handling = arrived.handling;
    if (handling == null) {
      return Answer.held(RequeuedHold.deferred(arrived.delivery(), until, retry), until);
    }
    Postponement next = new Postponement(until, arrived.subscription().queue(), retry);
    return Answer.toStore(Ending.postpone(handling, next, reason), Disposition.ACK);
  }

  private List<Duration> retries(Arrival arrived) {
    return guard.retries(arrived.delivery(), use);
  }

  private void tellFailed(Arrival arrived, Throwable cause) {
    guard
        .listener()
        .onEvent(
            new ConsumerEvent.Failed(
                arrived.consumer(), arrived.key(), guard.route(arrived), cause));
  }

  /** The failure of a consumer that rejected a message without a reason. */
  static final class RejectedByConsumer extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RejectedByConsumer() {
      super("rejected by its consumer", null, false, false);
    }
  }
}
