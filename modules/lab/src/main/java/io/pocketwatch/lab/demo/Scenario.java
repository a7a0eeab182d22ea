// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.config.LoaderOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What happens in a demo. Orders come in at an even pace during the first third of its length. The
 * longest timeout is the rest, so that the last order falls due at the end.
 *
 * @param messages how many orders
 * @param length from the first order to the last due instant
 * @param hold how messages are held, under the demo's own name prefix
 * @param plugin whether the broker has the delayed-message plugin
 */
record Scenario(int messages, Duration length, HoldOptions hold, boolean plugin) {
  static final Duration HORIZON = Duration.ofSeconds(5);

  /** How far beyond its next run a loader looks. */
  private static final Duration LEAD = Duration.ofSeconds(2);

  /** A queue per message is for hundreds, not thousands. */
  private static final int MOST_TEMPORARY = 100;

  private static final int TEMPORARY_SHARE = 10;
  private static final int PAID_SHARE = 4;

  /** Every demo of the same size tells the same story. */
  private static final long SEED = 1987;

  static Scenario of(int messages, Duration length, DelayRoutes configured, boolean plugin) {
    HoldOptions hold =
        configured.hold().toBuilder()
            .namePrefix(DemoNames.PREFIX)
            .topology(TopologyMode.DECLARE)
            .build(); // under this prefix nobody else has declared it
    return new Scenario(messages, length, hold, plugin);
  }

  /** The demo's routes, held and published as configured. */
  DelayRoutes routes(DelayRoutes configured) {
    DelayRoutes routes =
        DelayRoutes.builder()
            .hold(hold)
            .publisher(configured.publisher())
            .route(
                DelayRoute.builder("order-timeout")
                    .exchange(DemoNames.EXCHANGE)
                    .routingKey(DemoNames.ROUTING_KEY)
                    .delays(configuredDelays().toArray(Duration[]::new))
                    .build())
            .build();
    return plugin
        ? routes.toBuilder()
            .route(
                DelayRoute.builder("order-timeout-plugin")
                    .exchange(DemoNames.EXCHANGE)
                    .routingKey(DemoNames.PLUGIN_ROUTING_KEY)
                    .strategy(DelayStrategy.DELAYED_EXCHANGE)
                    .build())
            .build()
        : routes;
  }

  /** The routes of the act with the store: a horizon of seconds in place of a night. */
  DelayRoutes storeRoutes(DelayRoutes configured) {
    return DelayRoutes.builder()
        .hold(hold)
        .publisher(configured.publisher())
        .loader(
            LoaderOptions.builder()
                .every(HORIZON.minus(LEAD))
                .lead(LEAD)
                .sweep(Duration.ofMillis(500))
                .build())
        .route(
            DelayRoute.builder(DemoNames.TASK_ROUTE)
                .exchange(DemoNames.EXCHANGE)
                .routingKey(DemoNames.TASK_KEY)
                .tracking(Tracking.FULL)
                .build())
        .build();
  }

  /** The delays that have a TTL queue. */
  List<Duration> configuredDelays() {
    long longest = longestTimeout().toMillis();
    return List.of(
        Duration.ofMillis(longest / 5), Duration.ofMillis(longest / 2), Duration.ofMillis(longest));
  }

  private Duration longestTimeout() {
    return length.multipliedBy(2).dividedBy(3);
  }

  List<Order> orders() {
    SplittableRandom random = new SplittableRandom(SEED);
    int temporary =
        Math.min(
            Math.min(MOST_TEMPORARY, hold.temporaryQueues().max()), messages / TEMPORARY_SHARE);
    List<Order> orders = new ArrayList<>(messages);
    int temporarySoFar = 0;
    for (int i = 0; i < messages; i++) {
      Duration placedAfter = length.dividedBy(3).multipliedBy(i).dividedBy(messages);
      if ((long) (i + 1) * temporary / messages > temporarySoFar) {
        boolean paid = temporarySoFar++ % PAID_SHARE == 1;
        orders.add(temporary(i + 1, placedAfter, paid, random));
      } else {
        orders.add(ordinary(i + 1, placedAfter, random));
      }
    }
    return orders;
  }

  /** A paid one has the longest timeout: cancelling takes until a second before it is due. */
  private Order temporary(int number, Duration placedAfter, boolean paid, SplittableRandom random) {
    Duration longest = longestTimeout();
    Duration timeout = paid ? longest : between(longest.dividedBy(2), longest, random);
    return new Order(number, placedAfter, timeout, DelayStrategy.TEMPORARY_QUEUE, paid);
  }

  private Order ordinary(int number, Duration placedAfter, SplittableRandom random) {
    DelayStrategy strategy =
        switch (number % 4) {
          case 1 -> DelayStrategy.TTL_QUEUE;
          case 3 -> plugin ? DelayStrategy.DELAYED_EXCHANGE : DelayStrategy.TTL_QUEUE;
          default -> DelayStrategy.QUEUE_WHEEL;
        };
    return new Order(number, placedAfter, timeout(strategy, random), strategy, false);
  }

  private Duration timeout(DelayStrategy strategy, SplittableRandom random) {
    if (strategy == DelayStrategy.TTL_QUEUE) {
      List<Duration> delays = configuredDelays();
      return delays.get(random.nextInt(delays.size()));
    }
    Duration longest = longestTimeout();
    Duration most = hold.wheel().maxDelay();
    if (strategy == DelayStrategy.QUEUE_WHEEL && most.compareTo(longest) < 0) {
      return between(most.dividedBy(10), most.dividedBy(10).multipliedBy(9), random);
    }
    return between(longest.dividedBy(10), longest, random);
  }

  private static Duration between(Duration least, Duration most, SplittableRandom random) {
    return Duration.ofNanos(random.nextLong(least.toNanos(), most.toNanos() + 1));
  }
}
