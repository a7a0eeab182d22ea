// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.guard.GuardedChannel;
import io.pocketwatch.guard.GuardedDelivery;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;

/**
 * Defers a message that a guarded listener handles, tracked or not: it comes again later.
 *
 * <pre>{@code
 * @RabbitListener(queues = "order.timeout")
 * void timedOut(Order order) {
 *   if (shop.isClosed()) {
 *     throw Defer.until(shop.opens());
 *   }
 * }
 * }</pre>
 *
 * The exception rolls a transaction back, but is no failure. A retry interceptor does not see it,
 * and none of the route's {@code retries} is used up. It works in the acknowledge modes AUTO and
 * MANUAL, and defers a batch as a whole. The header {@code pocketwatch-attempts} counts. A listener
 * that acknowledges by itself may also defer the {@link GuardedChannel#delivery} of its channel.
 */
public final class Defer {
  private Defer() {}

  /**
   * To be thrown by a listener: its message comes again after the pause.
   *
   * @param pause 1 ms to 3650 d
   * @throws IllegalArgumentException if it is out of range
   */
  public static DeferException by(Duration pause) {
    DelayLimits.requirePause(pause);
    return new DeferException("deferred by " + pause, delivery -> delivery.defer(pause));
  }

  /**
   * To be thrown by a listener: its message comes again at that instant, or at once if it is past.
   *
   * @throws IllegalArgumentException if it is after {@link DelayLimits#LATEST}
   */
  public static DeferException until(Instant until) {
    DelayLimits.requireNotAfterLatest(until);
    return new DeferException("deferred until " + until, delivery -> delivery.defer(until));
  }

  /** Thrown by a listener to defer its message; see {@link Defer}. */
  public static final class DeferException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Consumer<GuardedDelivery> answer;

    private DeferException(String words, Consumer<GuardedDelivery> answer) {
      super(words, null, false, false);
      this.answer = answer;
    }

    void answer(GuardedDelivery delivery) {
      answer.accept(delivery);
    }
  }
}
