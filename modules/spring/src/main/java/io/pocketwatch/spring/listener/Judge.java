// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardDecision;
import io.pocketwatch.guard.GuardDecision.Basis;
import io.pocketwatch.guard.GuardDecision.Deliver;
import io.pocketwatch.guard.GuardDecision.HoldAgain;
import io.pocketwatch.guard.GuardDecision.Reason;
import io.pocketwatch.guard.GuardDecision.Wait;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.guard.Tracked;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;

/**
 * Asks the guard; and where there is none, judges by the clock alone.
 *
 * @param guard null without a store
 * @param unguarded the options where there is no guard
 */
record Judge(
    @Nullable DeliveryGuard guard, GuardOptions unguarded, String queue, BooleanSupplier wanted) {
  /** The patience with what cannot be returned: as long as anyone waits for the outcome. */
  static final Duration UNTIL_DUE = Duration.ofDays(36_500);

  private static final Duration STEP = Duration.ofSeconds(1);
  private static final Duration TENTH = Duration.ofMillis(100);

  /**
   * For what is left to do when the listener has returned: also while the container stops, which
   * acknowledges it all the same.
   */
  Judge whileOpen(Channel channel) {
    return new Judge(guard, unguarded, queue, channel::isOpen);
  }

  GuardOptions options() {
    return guard == null ? unguarded : guard.options();
  }

  /**
   * @param whole whether it can be held again: by a guard, and not a fragment, whose delivery no
   *     longer exists in one piece, nor what a post-processor of its container may have decrypted
   *     and nobody has kept as it was. Else what is to come later is waited for here
   * @param patience for how long to wait, for the store or for the message's time
   */
  GuardDecision decide(Message message, boolean whole, Duration patience) {
    BasicProperties headers = Wire.headers(message);
    if (whole && guard != null) {
      return guard.decide(queue, headers, patience, wanted);
    }
    long deadline = System.nanoTime() + patience.toNanos();
    GuardDecision decision = once(headers, patience);
    while (decision instanceof HoldAgain again) {
      Duration left = Duration.ofNanos(deadline - System.nanoTime());
      if (left.isNegative() || left.isZero() || !waitedFor()) {
        return new Wait(
            new IllegalStateException("it is to be handled at %s only".formatted(again.until())));
      }
      pause(shortest(STEP, left, Duration.between(now(message), again.until())));
      decision = once(headers, left);
    }
    return decision;
  }

  private GuardDecision once(BasicProperties headers, Duration patience) {
    if (guard != null) {
      return guard.decide(queue, headers, patience, wanted);
    }
    Instant deliverAt = Tracked.deliverAt(headers);
    return deliverAt != null && deliverAt.minus(options().earlyTolerance()).isAfter(Instant.now())
        ? new HoldAgain(deliverAt, Reason.EARLY)
        : new Deliver(Basis.UNTRACKED, null);
  }

  /** On the clock that the message is judged by. */
  Instant now(Message message) {
    return guard == null ? Instant.now() : guard.now(Tracked.of(Wire.headers(message)) != null);
  }

  /** Waits, as long as anyone waits for the outcome. */
  void pause(Duration length) {
    long end = System.nanoTime() + length.toNanos();
    for (long left = length.toNanos(); left > 0 && waitedFor(); left = end - System.nanoTime()) {
      LockSupport.parkNanos(Math.min(left, TENTH.toNanos()));
    }
  }

  private boolean waitedFor() {
    return wanted.getAsBoolean() && !Thread.currentThread().isInterrupted();
  }

  private static Duration shortest(Duration one, Duration two, Duration three) {
    Duration shorter = one.compareTo(two) < 0 ? one : two;
    return shorter.compareTo(three) < 0 ? shorter : three;
  }
}
