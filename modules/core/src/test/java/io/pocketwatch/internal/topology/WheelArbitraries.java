// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import io.pocketwatch.config.WheelOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.arbitraries.LongArbitrary;

/** Wheels of any legal shape, and delays they can hold. */
final class WheelArbitraries {
  /** A wheel and a delay within it. */
  record Turn(WheelOptions options, Duration delay) {}

  private WheelArbitraries() {}

  /** From a nanosecond on, half of them near the ends and half all over the range. */
  static Arbitrary<Duration> delaysUpTo(Duration longest) {
    LongArbitrary nanos = Arbitraries.longs().between(1, longest.toNanos());
    LongArbitrary millis = Arbitraries.longs().between(1, longest.toMillis());
    return Arbitraries.oneOf(
        nanos.map(Duration::ofNanos),
        nanos.withDistribution(RandomDistribution.uniform()).map(Duration::ofNanos),
        millis.map(Duration::ofMillis),
        millis.withDistribution(RandomDistribution.uniform()).map(Duration::ofMillis));
  }

  static Arbitrary<Turn> turns() {
    return options()
        .flatMap(options -> delaysUpTo(options.maxDelay()).map(delay -> new Turn(options, delay)));
  }

  /** One to five hands, each 2 to 60 times the next one, and some turns of the widest. */
  static Arbitrary<WheelOptions> options() {
    Arbitrary<Long> resolution = Arbitraries.longs().between(1, 5_000);
    Arbitrary<List<Integer>> factors =
        Arbitraries.integers().between(2, 60).list().ofMinSize(0).ofMaxSize(4);
    return Combinators.combine(resolution, factors)
        .as(WheelArbitraries::hands)
        .flatMap(
            hands -> {
              long unit = hands.get(hands.size() - 1).toMillis();
              long most = Math.min(hands.get(0).toMillis() * 60, Duration.ofDays(3_600).toMillis());
              return Arbitraries.longs()
                  .between(1, most / unit)
                  .map(steps -> Duration.ofMillis(steps * unit))
                  .map(maxDelay -> WheelOptions.builder().maxDelay(maxDelay).hands(hands).build());
            });
  }

  private static List<Duration> hands(long resolution, List<Integer> factors) {
    List<Duration> hands = new ArrayList<>(List.of(Duration.ofMillis(resolution)));
    for (int factor : factors) {
      Duration wider = hands.get(0).multipliedBy(factor);
      if (wider.compareTo(Duration.ofDays(3_600)) <= 0) {
        hands.add(0, wider);
      }
    }
    return hands;
  }
}
