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
  void theFirstBatchBeginsAtOnce() {
    assertThat(pace.left(START)).isZero();
    assertThat(pace.left(START + millis(1_000))).isNegative();
  }

  @Test
  void anotherThreadsBatchBeginsThreeMillisecondsAfterIt() {
    pace.begun(START);

    assertThat(pace.left(START + millis(1))).isEqualTo(millis(2));
  }

  @Test
  void aCheapBatchIsFollowedByThreeMilliseconds() {
    assertThat(pauseAfter(micros(100))).isEqualTo(millis(3));
  }

  @Test
  void aDearBatchIsFollowedByTwiceWhatItTook() {
    assertThat(pauseAfter(millis(2))).isEqualTo(millis(4));
  }

  @Test
  void noPauseIsLongerThanTenMilliseconds() {
    assertThat(pauseAfter(millis(400))).isEqualTo(millis(10));
  }

  /** Who waits for each answer sends one at a time: nobody would be gathered meanwhile. */
  @Test
  void aDearBatchOfOneIsFollowedByThreeMilliseconds() {
    pace.begun(START);
    pace.ended(1, START, START + millis(400));

    assertThat(pace.left(START + millis(400))).isEqualTo(millis(3));
  }

  @Test
  void whoseBatchesAreFurtherApartKeepsThem() {
    BatchPace slow = new BatchPace(Duration.ofMillis(50), START);

    slow.ended(9, START, START + millis(10));

    assertThat(slow.left(START + millis(10))).isEqualTo(millis(50));
  }

  @Test
  void aBatchThatEndsDoesNotShortenThePauseAfterAnother() {
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
