// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class PatienceTest {
  private final CountDownLatch open = new CountDownLatch(1);

  @Test
  void pausesUntilItsTimeIsUp() {
    Patience patience = new Patience(Duration.ofMillis(20), () -> true, open);

    assertThat(patience.pause()).isTrue();
    assertThat(patience.pause()).isFalse();
  }

  @Test
  void withoutTimeThereIsNoPause() {
    assertThat(new Patience(Duration.ZERO, () -> true, open).pause()).isFalse();
  }

  @Test
  void endsAtOnceWhenClosed() {
    Patience patience = new Patience(Duration.ofHours(1), () -> true, open);

    open.countDown();

    assertThat(patience.pause()).isFalse();
  }

  @Test
  void endsWhenNobodyWaits() {
    assertThat(new Patience(Duration.ofHours(1), () -> false, open).pause()).isFalse();
  }

  @Test
  void anInterruptEndsItAndStaysSet() {
    Thread.currentThread().interrupt();

    assertThat(new Patience(Duration.ofHours(1), () -> true, open).pause()).isFalse();
    assertThat(Thread.interrupted()).isTrue();
  }
}
