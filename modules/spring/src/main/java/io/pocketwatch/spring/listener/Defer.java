// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.Channel;
import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.guard.GuardedChannel;
import io.pocketwatch.guard.GuardedDelivery;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;

/**
 * Has a message that a guarded listener handles come again later, tracked or not.
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
 * What is thrown rolls a transaction back, and is no failure. A retry interceptor does not see it,
 * and none of the route's {@code retries} is used up. It works in the acknowledge modes AUTO and
 * MANUAL, and defers a batch as a whole. The header {@code pocketwatch-attempts} counts.
 */
public final class Defer {
  private Defer() {}

  /**
   * To be thrown by a listener.
   *
   * @param pause 1 ms to 3650 d
   * @throws IllegalArgumentException if it is out of range
   */
  public static DeferException by(Duration pause) {
    DelayLimits.requirePause(pause);
    return new DeferException("deferred by " + pause, delivery -> delivery.defer(pause));
  }

  /**
   * To be thrown by a listener. An instant that has passed means at once.
   *
   * @throws IllegalArgumentException if it is after {@link DelayLimits#LATEST}
   */
  public static DeferException until(Instant until) {
    DelayLimits.requireNotAfterLatest(until);
    return new DeferException("deferred until " + until, delivery -> delivery.defer(until));
  }

  /**
   * Defers one message of a listener that acknowledges by itself, on any thread. It is answered for
   * then.
   *
   * @param channel that which the listener was given
   * @param deliveryTag that of the message
   * @param pause 1 ms to 3650 d
   * @throws IllegalArgumentException if the pause is out of range
   * @throws IllegalStateException if the channel is not guarded, or has no such message that is not
   *     answered for
   */
  public static void message(Channel channel, long deliveryTag, Duration pause) {
    delivery(channel, deliveryTag).defer(pause);
  }

  /** As {@link #message(Channel, long, Duration)}, until an instant. */
  public static void message(Channel channel, long deliveryTag, Instant until) {
    delivery(channel, deliveryTag).defer(until);
  }

  private static GuardedDelivery delivery(Channel channel, long tag) {
    if (!(channel instanceof GuardedChannel guarded)) {
      throw new IllegalStateException("this channel is not that of a guarded listener");
    }
    return guarded
        .delivery(tag)
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "no message with the delivery tag %s waits for an answer".formatted(tag)));
  }

  /** Has the message that a listener handles come again later; see {@link Defer}. */
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
