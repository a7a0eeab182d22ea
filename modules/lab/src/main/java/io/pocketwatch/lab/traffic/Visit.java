// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.traffic;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * What one customer does: has a message scheduled, and perhaps changes it while it waits.
 *
 * @param route over which it goes
 * @param delay of the message
 * @param known whether somebody by the customer's number is known when the message is handled
 * @param change what becomes of it meanwhile
 * @param after how long after it was scheduled
 */
record Visit(ShopRoute route, Duration delay, boolean known, Change change, Duration after) {
  /** What becomes of a message while it waits. */
  enum Change {
    NONE,
    CANCEL,
    MOVE
  }

  /** Two of them have a TTL queue in the configuration of the stacks. */
  private static final List<Duration> PAYMENT_TERMS =
      List.of(Duration.ofSeconds(30), Duration.ofMinutes(2));

  static Visit next(RandomGenerator random) {
    int draw = random.nextInt(100);
    if (draw < 50) {
      return order(random);
    } else if (draw < 70) {
      return new Visit(
          ShopRoute.PRICE_UPDATE,
          between(random, Duration.ofSeconds(1), Duration.ofMinutes(2)),
          true,
          Change.NONE,
          Duration.ZERO);
    } else if (draw < 90) {
      return new Visit(
          ShopRoute.INVOICE_MAIL,
          between(random, Duration.ofSeconds(10), Duration.ofHours(6)),
          true,
          Change.NONE,
          Duration.ZERO);
    }
    return trial(random);
  }

  private static Visit order(RandomGenerator random) {
    int term = random.nextInt(3);
    Duration delay =
        term < PAYMENT_TERMS.size()
            ? PAYMENT_TERMS.get(term)
            : between(random, Duration.ofSeconds(10), Duration.ofMinutes(5));
    boolean paid = random.nextInt(10) < 4;
    return new Visit(
        ShopRoute.ORDER_TIMEOUT,
        delay,
        random.nextInt(40) > 0,
        paid ? Change.CANCEL : Change.NONE,
        delay.multipliedBy(1 + random.nextInt(8)).dividedBy(10));
  }

  static Visit trial(RandomGenerator random) {
    boolean soon = random.nextInt(4) == 0;
    Duration delay =
        soon
            ? between(random, Duration.ofMinutes(1), Duration.ofMinutes(5))
            : between(random, Duration.ofDays(1), Duration.ofDays(400));
    Change change = soon ? Change.NONE : Change.values()[random.nextInt(Change.values().length)];
    Duration after = between(random, Duration.ofMinutes(1), Duration.ofMinutes(10));
    return new Visit(ShopRoute.TRIAL_END, delay, true, change, after);
  }

  private static Duration between(RandomGenerator random, Duration least, Duration most) {
    return Duration.ofMillis(random.nextLong(least.toMillis(), most.toMillis()));
  }
}
