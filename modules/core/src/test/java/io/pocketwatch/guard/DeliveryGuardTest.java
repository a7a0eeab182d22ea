// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.pocketwatch.PocketwatchListener;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;

class DeliveryGuardTest {
  private static final Instant HERE = Instant.parse("2026-03-01T09:00:00Z");
  private static final GuardOptions OPTIONS =
      GuardOptions.builder()
          .clock(InstantSource.fixed(HERE))
          .earlyTolerance(Duration.ofSeconds(1))
          .build();

  @Test
  void settlesUnderTheQueuesNameOrTheOneGiven() {
    try (DeliveryGuard guard = DeliveryGuard.withoutStore(OPTIONS, PocketwatchListener.NONE);
        DeliveryGuard named =
            DeliveryGuard.withoutStore(
                OPTIONS.toBuilder().consumer("billing").build(), PocketwatchListener.NONE)) {
      assertThat(guard.consumer("work")).isEqualTo("work");
      assertThat(named.consumer("work")).isEqualTo("billing");
    }
  }

  @Test
  void aMessageIsEarlyBeyondTheTolerance() {
    try (DeliveryGuard guard = DeliveryGuard.withoutStore(OPTIONS, PocketwatchListener.NONE)) {
      assertThat(guard.early(HERE.plusMillis(1_001), false)).isTrue();
      assertThat(guard.early(HERE.plusMillis(1_000), false)).isFalse();
    }
  }

  @Test
  void aQueueWhoseNameNoStoreKeepsIsNotConsumed() {
    try (DeliveryGuard guard = DeliveryGuard.withoutStore(OPTIONS, PocketwatchListener.NONE)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> guard.consume(null, "work ", delivery -> {}))
          .withMessageContaining("'work ' ends with a blank");
    }
  }
}
