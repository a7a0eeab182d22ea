// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import io.pocketwatch.PublishOutcome;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.HandOffResult.Problem;
import java.time.Duration;
import java.time.Instant;

/**
 * What becomes of a claimed message that the broker has not confirmed. Pure.
 *
 * <p>A message that the broker will not have may close its channel, and its neighbours there are
 * not answered either. Each of them has one attempt more, and is sent by itself from then on. So
 * the neighbours pass, and the culprit is known by its attempts.
 */
public record FailureRule(LoaderOptions options) {
  /** So many attempts, while others passed. */
  private static final int POISON = 3;

  private static final int MOST_DOUBLINGS = 10;

  /** Before one is sent alone that nobody has blamed yet. */
  private static final Duration FIRST_DOUBT = Duration.ofSeconds(1);

  /**
   * How its claim ends.
   *
   * @param poison whether it may be the message that closes its channel: it was sent by itself, and
   *     others were confirmed lately
   */
  public Conclusion decide(HandOffResult failed, Instant now, boolean poison) {
    Claim claim = failed.claim();
    String detail = failed.detail();
    boolean full = claim.message().message().tracking() == Tracking.FULL;
    int attempts = claim.message().attempts();
    boolean unknown =
        failed.outcome() == PublishOutcome.UNCERTAIN || failed.problem() == Problem.REFUSED;
    Conclusion end =
        switch (failed.problem()) {
          case NONE -> throw new IllegalArgumentException(claim.key() + " has not failed");
          case BROKER -> Conclusion.giveBack(claim);
          case CHANNEL -> {
            if (attempts == 0) {
              yield Conclusion.postpone(claim, FIRST_DOUBT, detail);
            }
            yield attempts >= POISON && poison
                ? Conclusion.park(claim, detail)
                : again(claim, detail);
          }
          case MESSAGE -> Conclusion.park(claim, detail);
          case TARGET -> againOrPark(claim, detail, now);
          // Each try is one more copy in the queues that take it, which only a guard skips.
          case REFUSED -> full ? again(claim, detail) : againOrPark(claim, detail, now);
          case UNFORESEEN -> attempts == 0 ? again(claim, detail) : Conclusion.park(claim, detail);
          case SILENCE -> Conclusion.postpone(claim, silence(failed), detail);
          case HOLD -> Conclusion.postpone(claim, untilRoom(claim, now), detail);
        };
    return unknown ? end.unknown() : end;
  }

  /** For ever: the queue has room again some day. What is due needs no hold queue. */
  private Duration untilRoom(Claim claim, Instant now) {
    Duration pause = RetryPauses.pause(options, claim.message().attempts());
    Duration left = Duration.between(now, claim.message().deliverAt());
    return !left.isNegative() && left.compareTo(pause) < 0 ? left : pause;
  }

  /** Each try may be one more copy. What was not even sent has none, and may go on sooner. */
  private Duration silence(HandOffResult failed) {
    int attempts = failed.claim().message().attempts();
    Duration pause = RetryPauses.pause(options, attempts);
    if (failed.outcome() == PublishOutcome.UNCERTAIN) {
      return pause;
    }
    Duration sooner = FIRST_DOUBT.multipliedBy(1L << Math.min(attempts, MOST_DOUBLINGS));
    return sooner.compareTo(pause) < 0 ? sooner : pause;
  }

  private Conclusion again(Claim claim, String detail) {
    Duration pause = RetryPauses.pause(options, claim.message().attempts());
    return Conclusion.postpone(claim, pause, detail);
  }

  private Conclusion againOrPark(Claim claim, String detail, Instant now) {
    Instant due = claim.message().deliverAt();
    return RetryPauses.over(options, claim.message().attempts(), due, now)
        ? Conclusion.park(claim, detail)
        : again(claim, detail);
  }
}
