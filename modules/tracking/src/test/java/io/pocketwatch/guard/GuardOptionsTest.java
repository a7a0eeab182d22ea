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
  void defaults_wait_for_the_store_well_below_the_brokers_consumer_timeout() {
    assertThat(DEFAULTS.onStoreFailure()).isEqualTo(OnStoreFailure.WAIT);
    assertThat(DEFAULTS.storePatience().multipliedBy(2)).isLessThan(Duration.ofMinutes(30));
    assertThat(DEFAULTS.requeueFailed()).isFalse();
  }

  @Test
  void what_is_out_of_range_is_refused_with_its_limits() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DEFAULTS.toBuilder().handlingLease(Duration.ofMillis(999)).build())
        .withMessage("handling-lease 999ms is out of range; allowed: 1s to 1d");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DEFAULTS.toBuilder().earlyTolerance(Duration.ofSeconds(-1)).build())
        .withMessageContaining("0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DEFAULTS.toBuilder().storePatience(Duration.ZERO).build())
        .withMessageContaining("1s to 1d");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DEFAULTS.toBuilder().prefetch(0).build())
        .withMessageContaining("1 to 10000");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DEFAULTS.toBuilder().consumer("x".repeat(256)).build())
        .withMessageContaining("256")
        .withMessageContaining("1 to 255");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DEFAULTS.toBuilder().consumer("billing ").build())
        .withMessageContaining("'billing ' ends with a blank");
  }
}
