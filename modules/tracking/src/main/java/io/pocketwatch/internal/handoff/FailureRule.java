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
 * Decides what becomes of a claimed message that the broker has not confirmed. Pure.
 *
 * <p>A message that the broker refuses may close its channel, so that others on it are not answered
 * either. Each of these has one attempt more, and is sent alone from then on. So the others pass,
 * and the culprit is known by its attempts.
 */
public record FailureRule(LoaderOptions options) {
  /** The attempts after which a message is given up, while others passed. */
  private static final int POISON = 3;

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(30);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
  private static final int MOST_DOUBLINGS = 10;

  /** The pause before a first suspect is sent alone. */
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
          // Soon at first: as an application starts, its queues may be declared a moment later.
          case TARGET ->
              attempts == 0
                  ? Conclusion.postpone(claim, FIRST_DOUBT, detail)
                  : againOrPark(claim, detail, attempts - 1, now);
          // Each try is one more copy in the queues that take it, which only a guard skips.
          case REFUSED -> full ? again(claim, detail) : againOrPark(claim, detail, attempts, now);
          case UNFORESEEN -> attempts == 0 ? again(claim, detail) : Conclusion.park(claim, detail);
          case SILENCE -> Conclusion.postpone(claim, silence(failed), detail);
          case HOLD -> Conclusion.postpone(claim, untilRoom(claim, now), detail);
        };
    return unknown ? end.unknown() : end;
  }

  /** The pause until the hold queue has room; never given up, since a due message needs no hold. */
  private Duration untilRoom(Claim claim, Instant now) {
    Duration pause = pause(options, claim.message().attempts());
    Duration left = Duration.between(now, claim.message().deliverAt());
    return !left.isNegative() && left.compareTo(pause) < 0 ? left : pause;
  }

  /** The pause after a missing confirm, as each try may be a copy; shorter if nothing was sent. */
  private Duration silence(HandOffResult failed) {
    int attempts = failed.claim().message().attempts();
    Duration pause = pause(options, attempts);
    if (failed.outcome() == PublishOutcome.UNCERTAIN) {
      return pause;
    }
    Duration sooner = FIRST_DOUBT.multipliedBy(1L << Math.min(attempts, MOST_DOUBLINGS));
    return sooner.compareTo(pause) < 0 ? sooner : pause;
  }

  private Conclusion again(Claim claim, String detail) {
    Duration pause = pause(options, claim.message().attempts());
    return Conclusion.postpone(claim, pause, detail);
  }

  private Conclusion againOrPark(Claim claim, String detail, int attempts, Instant now) {
    return over(options, attempts, claim.message().deliverAt(), now)
        ? Conclusion.park(claim, detail)
        : Conclusion.postpone(claim, pause(options, attempts), detail);
  }

  /** Growing with each attempt, from the sweep (or 30 s) to 5 min, or the sweep if that is more. */
  static Duration pause(LoaderOptions options, int attempts) {
    Duration sweep = options.sweep();
    Duration first = sweep.compareTo(FIRST_PAUSE) < 0 ? sweep : FIRST_PAUSE;
    Duration longest = sweep.compareTo(LONGEST_PAUSE) > 0 ? sweep : LONGEST_PAUSE;
    Duration grown = first.multipliedBy(1L << Math.min(attempts, MOST_DOUBLINGS));
    return grown.compareTo(longest) < 0 ? grown : longest;
  }

  /**
   * Whether a due message has waited too long for its target: both since it was due, and since its
   * first failure. So a message that is late by itself, after an outage, is not given up at once.
   */
  static boolean over(LoaderOptions options, int attempts, Instant deliverAt, Instant now) {
    Duration patience = options.targetPatience();
    Duration waited = Duration.ZERO;
    for (int i = 0; i < attempts && waited.compareTo(patience) < 0; i++) {
      waited = waited.plus(pause(options, i));
    }
    return waited.compareTo(patience) >= 0 && now.isAfter(deliverAt.plus(patience));
  }
}
