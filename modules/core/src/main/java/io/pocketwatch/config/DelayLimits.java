// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.Ranges;
import java.time.Duration;
import java.time.Instant;

/** The limits of delays and instants, whatever the strategy. */
public final class DelayLimits {
  /**
   * The longest TTL RabbitMQ takes: 315,360,000,000 ms, ten years of 365 days ({@code
   * rabbit_misc:check_expiry}).
   */
  public static final Duration MAX_TTL = Duration.ofDays(3_650);

  /**
   * The coarsest resolution of a route. It is less than the loader's default grace of 2 min, or
   * recovery would send messages again that are late only by rounding.
   */
  public static final Duration MAX_RESOLUTION = Duration.ofMinutes(1);

  /** The longest delay of an {@code x-delayed-message} exchange: 2<sup>32</sup>-1 ms. */
  public static final Duration MAX_DELAYED_EXCHANGE = Duration.ofMillis(0xffff_ffffL);

  /**
   * The last instant at which a message can be due: RFC 3339 cannot write later years, and
   * databases cannot show them.
   */
  public static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999Z");

  private static final String LONGEST_TTL = DurationText.format(MAX_TTL);

  private DelayLimits() {}

  /**
   * Checks a configured delay.
   *
   * @throws IllegalArgumentException unless it is a whole number of milliseconds from 1 ms to
   *     {@link #MAX_TTL}
   */
  static Duration requireTtl(Duration delay) {
    return wholeMillis("delay", delay, "1ms", LONGEST_TTL);
  }

  /**
   * Checks after which pause a message comes again.
   *
   * @throws IllegalArgumentException unless it is from 1 ms to {@link #MAX_TTL}
   */
  public static Duration requirePause(Duration pause) {
    return Ranges.within("pause", pause, "1ms", LONGEST_TTL);
  }

  /**
   * Checks an instant.
   *
   * @throws IllegalArgumentException if it is after {@link #LATEST}
   */
  public static Instant requireNotAfterLatest(Instant instant) {
    Ranges.require(!instant.isAfter(LATEST), "instant " + instant, "up to " + LATEST);
    return instant;
  }

  static Duration wholeMillis(String what, Duration duration, String least, String most) {
    if (duration.toNanosPart() % 1_000_000 != 0) {
      throw new IllegalArgumentException(
          what + " " + duration + " is not a whole number of milliseconds");
    }
    return Ranges.within(what, duration, least, most);
  }
}
