// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.pocketwatch.guard.GuardOptions.OnStoreFailure;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class GuardOptionsTest {
  private static final GuardOptions DEFAULTS = GuardOptions.defaults();

  @Test
  void defaultsWaitForTheStoreWellBelowTheBrokersConsumerTimeout() {
    assertThat(DEFAULTS.onStoreFailure()).isEqualTo(OnStoreFailure.WAIT);
    assertThat(DEFAULTS.storePatience().multipliedBy(2)).isLessThan(Duration.ofMinutes(30));
    assertThat(DEFAULTS.requeueFailed()).isFalse();
  }

  @Test
  void whatIsOutOfRangeIsRefusedWithItsLimits() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DEFAULTS.withHandlingLease(Duration.ofMillis(999)))
        .withMessage("handling-lease 999ms is out of range; allowed: 1s to 1d");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DEFAULTS.withEarlyTolerance(Duration.ofSeconds(-1)))
        .withMessageContaining("0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DEFAULTS.withStorePatience(Duration.ZERO))
        .withMessageContaining("1s to 1d");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DEFAULTS.withPrefetch(0))
        .withMessageContaining("1 to 10000");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DEFAULTS.withConsumer("x".repeat(256)))
        .withMessageContaining("256")
        .withMessageContaining("1 to 255");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DEFAULTS.withConsumer("billing "))
        .withMessageContaining("'billing ' ends with a blank");
  }
}
