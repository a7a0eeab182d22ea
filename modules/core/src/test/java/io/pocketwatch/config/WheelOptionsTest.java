// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.pocketwatch.config.HoldQueues.HoldQueueType;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;

class WheelOptionsTest {
  private static final WheelOptions DEFAULTS = WheelOptions.defaults();

  @Test
  void the_default_is31_days_at10_milliseconds() {
    assertThat(DEFAULTS.maxDelay()).isEqualTo(ofDays(31));
    assertThat(DEFAULTS.resolution()).isEqualTo(ofMillis(10));
    assertThat(DEFAULTS.hands())
        .containsExactly(ofDays(1), ofHours(1), ofMinutes(1), ofSeconds(1), ofMillis(10));
    assertThat(DEFAULTS.queues().type()).isEqualTo(HoldQueueType.QUORUM);
  }

  @Test
  void natural_hands_end_with_the_resolution() {
    assertThat(WheelOptions.naturalHands(ofSeconds(1)))
        .containsExactly(ofDays(1), ofHours(1), ofMinutes(1), ofSeconds(1));
    assertThat(WheelOptions.naturalHands(ofMinutes(5)))
        .containsExactly(ofDays(1), ofHours(1), ofMinutes(5));
    assertThat(WheelOptions.naturalHands(ofDays(7))).containsExactly(ofDays(7));
  }

  @Test
  void each_hand_divides_the_one_before() {
    refused(ofDays(1), ofHours(1), ofMinutes(7))
        .withMessage("hand 7m does not divide the hand before it, 1h");
    refused(ofDays(1), ofHours(1), ofHours(1))
        .withMessage("hand 1h does not divide the hand before it, 1h");
    refused(ofDays(1), ofMinutes(1), ofHours(1))
        .withMessage("hand 1h does not divide the hand before it, 1m");
  }

  @Test
  void a_wheel_needs_a_hand() {
    refused(ofDays(1)).withMessage("hands is empty; name at least the resolution");
  }

  @Test
  void a_hand_is_a_delay() {
    refused(ofDays(1), ofHours(1), Duration.ZERO)
        .withMessage("delay 0ms is out of range; allowed: 1ms to 3650d");
    refused(ofDays(1), ofHours(1), Duration.ofNanos(1_500_000))
        .withMessage("delay PT0.0015S is not a whole number of milliseconds");
  }

  @Test
  void the_maximum_is_a_multiple_of_the_resolution() {
    assertThat(DEFAULTS.toBuilder().maxDelay(ofMillis(90)).build().maxDelay())
        .isEqualTo(ofMillis(90));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DEFAULTS.toBuilder().maxDelay(ofMillis(95)).build())
        .withMessage("max-delay 95ms is not a multiple of the resolution 10ms");
  }

  @Test
  void the_maximum_is_within_what_a_broker_takes() {
    refused(ofDays(3_651), ofDays(30)).withMessageContaining("delay 3651d is out of range");
    refused(Duration.ofSeconds(Long.MAX_VALUE), ofDays(30)).withMessageContaining("out of range");
    refused(Duration.ZERO, ofDays(30)).withMessageContaining("delay 0ms is out of range");
  }

  @Test
  void the_number_of_queues_is_limited() {
    // One position more than max-delay has, see aHandHasAPositionToRoundUpTo.
    assertThat(
            WheelOptions.builder().maxDelay(ofSeconds(1_999)).hands(List.of(ofSeconds(1))).build())
        .extracting(WheelOptions::maxDelay)
        .isEqualTo(ofSeconds(1_999));
    refused(ofSeconds(2_000), ofSeconds(1))
        .withMessage("max-delay 2000s with hands [1s] needs 2001 queues; allowed: 2000");
  }

  @Test
  void a_hand_turns_until_the_next_wider_one_takes_over() {
    WheelOptions wheel =
        WheelOptions.builder()
            .maxDelay(ofHours(2))
            .hands(List.of(ofMinutes(1), ofSeconds(1)))
            .build();

    assertThat(wheel.positions(0)).isEqualTo(120);
    assertThat(wheel.positions(1)).isEqualTo(59);
  }

  @Test
  void the_default_needs271_queues() {
    assertThat(IntStream.range(0, 5).map(DEFAULTS::positions)).containsExactly(31, 23, 59, 59, 99);
  }

  @Test
  void a_hand_has_a_position_to_round_up_to() {
    WheelOptions wheel =
        WheelOptions.builder().maxDelay(ofSeconds(60)).hands(List.of(ofSeconds(1))).build();

    assertThat(wheel.positions(0)).isEqualTo(61);
  }

  @Test
  void no_queue_holds_longer_than_a_broker_takes() {
    refused(ofDays(3_650), ofDays(10))
        .withMessage("max-delay 3650d with hands [10d] needs a queue of 3660d; allowed: 3650d");
    assertThat(
            DEFAULTS.toBuilder()
                .hands(List.of(ofDays(2), ofHours(1)))
                .maxDelay(ofDays(3_650))
                .build())
        .extracting(WheelOptions::maxDelay)
        .isEqualTo(ofDays(3_650));
  }

  @Test
  void hands_wider_than_the_maximum_need_no_queues() {
    WheelOptions wheel =
        WheelOptions.builder()
            .maxDelay(ofSeconds(1_000))
            .hands(List.of(ofDays(1), ofSeconds(1)))
            .build();

    assertThat(wheel.positions(0)).isZero();
  }

  @Test
  void classic_queues_must_be_asked_for_by_name() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new HoldQueues(HoldQueueType.CLASSIC, false))
        .withMessageContaining("accept-loss: true");
    assertThat(
            DEFAULTS.toBuilder()
                .queues(HoldQueues.classicAcceptingLoss())
                .build()
                .queues()
                .acceptLoss())
        .isTrue();
  }

  private static ThrowableAssertAlternative<?> refused(Duration maxDelay, Duration... hands) {
    return assertThatIllegalArgumentException()
        .isThrownBy(() -> WheelOptions.builder().maxDelay(maxDelay).hands(List.of(hands)).build());
  }
}
