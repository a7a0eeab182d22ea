// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import static io.pocketwatch.internal.topology.WheelArbitraries.delaysUpTo;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.pocketwatch.config.WheelOptions;
import io.pocketwatch.internal.topology.Wheel.Step;
import io.pocketwatch.internal.topology.WheelArbitraries.Turn;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class WheelTest {
  private static final WheelOptions DEFAULTS = WheelOptions.defaults();
  private static final Wheel WHEEL = new Wheel(DEFAULTS);

  @Test
  void a_delay_is_written_with_one_digit_per_hand_from_the_widest_non_zero_one() {
    assertThat(keys(ofHours(1).plusSeconds(30)))
        .containsExactly("pw-1h-1", "pw-1m-0-1s", "pw-1s-30", "pw-10ms-0");
    assertThat(keys(ofDays(31)))
        .containsExactly("pw-1d-31", "pw-1h-0-1m", "pw-1m-0-1s", "pw-1s-0-10ms", "pw-10ms-0");
    assertThat(keys(ofMillis(10))).containsExactly("pw-10ms-1");
    assertThat(keys(ofDays(1).minusMillis(10)))
        .containsExactly("pw-1h-23", "pw-1m-59", "pw-1s-59", "pw-10ms-99");
  }

  @Test
  void rounding_up_carries_into_wider_hands() {
    assertThat(keys(ofNanos(1))).containsExactly("pw-10ms-1");
    assertThat(keys(ofMillis(11))).containsExactly("pw-10ms-2");
    assertThat(keys(ofMinutes(1).minusNanos(1)))
        .containsExactly("pw-1m-1", "pw-1s-0-10ms", "pw-10ms-0");
  }

  @Test
  void the_fraction_that_rounds_an_instant_up_still_fits() {
    assertThat(keys(ofDays(31).plusNanos(999_999)))
        .containsExactly("pw-1d-31", "pw-1h-0-1m", "pw-1m-0-1s", "pw-1s-0-10ms", "pw-10ms-1");
  }

  @Test
  void a_coarser_resolution_leaves_out_the_hands_below_it() {
    assertThat(keys(WHEEL.steps(ofMillis(29_030), ofSeconds(1))))
        .containsExactly("pw-1s-30", "pw-10ms-0");
    assertThat(keys(WHEEL.steps(ofMillis(30_000), ofSeconds(1))))
        .containsExactly("pw-1s-30", "pw-10ms-0");
    assertThat(keys(WHEEL.steps(ofNanos(1), ofMinutes(1))))
        .containsExactly("pw-1m-1", "pw-1s-0-10ms", "pw-10ms-0");
    assertThat(keys(WHEEL.steps(ofMillis(1_001), ofMillis(15))))
        .as("what is no multiple of the wheel's own is rounded up to that as well")
        .containsExactly("pw-1s-1", "pw-10ms-1");
  }

  @Test
  void rounding_up_to_a_coarser_resolution_does_not_leave_the_wheel() {
    Wheel wheel = new Wheel(DEFAULTS.toBuilder().maxDelay(ofSeconds(90)).build());

    assertThat(keys(wheel.steps(ofSeconds(61), ofMinutes(1))))
        .containsExactly("pw-1m-1", "pw-1s-1", "pw-10ms-0");
  }

  @Test
  void nothing_outside_the_wheel_is_held() {
    for (Duration outside : List.of(ZERO, ofMillis(-1), ofDays(31).plusMillis(11), ofDays(3_650))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> WHEEL.steps(outside))
          .withMessage("delay " + outside + " is not within the wheel's PT744H");
    }
  }

  @Test
  void a_hand_that_max_delay_never_reaches_has_no_position() {
    Wheel wheel = new Wheel(DEFAULTS.toBuilder().maxDelay(ofSeconds(30)).build());

    assertThat(wheel.hands()).extracting(Wheel.Hand::positions).containsExactly(0, 0, 0, 30, 99);
  }

  @Test
  void every_millisecond_of_the_first_two_minutes_is_held_by_its_digits() {
    for (long millis = 1; millis <= 120_000; millis++) {
      requireExact(WHEEL, DEFAULTS, ofMillis(millis));
    }
  }

  @Test
  void every_delay_around_a_turn_of_a_hand_is_held_by_its_digits() {
    for (Duration unit : List.of(ofSeconds(1), ofMinutes(1), ofHours(1), ofDays(1))) {
      for (long turns = 1; turns <= Math.min(DEFAULTS.maxDelay().dividedBy(unit), 1_500); turns++) {
        for (long off = -11; off <= 11; off++) {
          Duration delay = unit.multipliedBy(turns).plusMillis(off);
          if (delay.compareTo(DEFAULTS.maxDelay()) <= 0) {
            requireExact(WHEEL, DEFAULTS, delay);
          }
        }
      }
    }
  }

  @Property
  void every_delay_of_the_default_wheel_is_held_by_its_digits(@ForAll("delays") Duration delay) {
    requireExact(WHEEL, DEFAULTS, delay);
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void every_delay_of_every_wheel_is_held_by_its_digits(@ForAll("turns") Turn turn) {
    requireExact(new Wheel(turn.options()), turn.options(), turn.delay());
  }

  @Provide
  Arbitrary<Duration> delays() {
    return delaysUpTo(DEFAULTS.maxDelay());
  }

  @Provide
  Arbitrary<Turn> turns() {
    return WheelArbitraries.turns();
  }

  private static void requireExact(Wheel wheel, WheelOptions options, Duration delay) {
    List<Step> steps = wheel.steps(delay);
    Duration held = ZERO;
    int hand = options.hands().size() - steps.size();
    boolean withinHands = true;
    for (Step step : steps) {
      held = held.plus(step.hand().unit().multipliedBy(step.position()));
      withinHands &= step.hand() == wheel.hands().get(hand++);
      withinHands &= step.position() >= 0 && step.position() <= step.hand().positions();
    }
    Duration late = held.minus(delay);
    // Plain conditions first: a fluent assertion per step would make millions of them.
    if (!held.equals(wheel.roundUp(delay))
        || late.isNegative()
        || late.compareTo(options.resolution()) >= 0
        || steps.get(0).position() == 0
        || !withinHands) {
      throw new AssertionError(
          "%s on hands %s is held for %s by %s"
              .formatted(delay, options.hands(), held, steps.stream().map(Step::key).toList()));
    }
  }

  private static List<String> keys(Duration delay) {
    return keys(WHEEL.steps(delay));
  }

  private static List<String> keys(List<Step> steps) {
    return steps.stream().map(Step::key).toList();
  }
}
