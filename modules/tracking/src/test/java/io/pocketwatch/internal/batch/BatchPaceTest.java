// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BatchPaceTest {
  /** So that it overflows during the test, as System.nanoTime may. */
  private static final long START = Long.MAX_VALUE - millis(1);

  private final BatchPace pace = new BatchPace(Duration.ofMillis(3), START);

  @Test
  void the_first_batch_begins_at_once() {
    assertThat(pace.left(START)).isZero();
    assertThat(pace.left(START + millis(1_000))).isNegative();
  }

  @Test
  void another_threads_batch_begins_three_milliseconds_after_it() {
    pace.begun(START);

    assertThat(pace.left(START + millis(1))).isEqualTo(millis(2));
  }

  @Test
  void a_cheap_batch_is_followed_by_three_milliseconds() {
    assertThat(pauseAfter(micros(100))).isEqualTo(millis(3));
  }

  @Test
  void a_dear_batch_is_followed_by_twice_what_it_took() {
    assertThat(pauseAfter(millis(2))).isEqualTo(millis(4));
  }

  @Test
  void no_pause_is_longer_than_ten_milliseconds() {
    assertThat(pauseAfter(millis(400))).isEqualTo(millis(10));
  }

  /** Who waits for each answer sends one at a time: nobody would be gathered meanwhile. */
  @Test
  void a_dear_batch_of_one_is_followed_by_three_milliseconds() {
    pace.begun(START);
    pace.ended(1, START, START + millis(400));

    assertThat(pace.left(START + millis(400))).isEqualTo(millis(3));
  }

  @Test
  void whose_batches_are_further_apart_keeps_them() {
    BatchPace slow = new BatchPace(Duration.ofMillis(50), START);

    slow.ended(9, START, START + millis(10));

    assertThat(slow.left(START + millis(10))).isEqualTo(millis(50));
  }

  @Test
  void a_batch_that_ends_does_not_shorten_the_pause_after_another() {
    pace.ended(9, START, START + millis(4));
    pace.ended(9, START + millis(3), START + millis(4));

    assertThat(pace.left(START + millis(4))).isEqualTo(millis(8));
  }

  private long pauseAfter(long took) {
    pace.begun(START);
    pace.ended(9, START, START + took);
    return pace.left(START + took);
  }

  private static long millis(long millis) {
    return micros(1_000 * millis);
  }

  private static long micros(long micros) {
    return 1_000 * micros;
  }
}
