// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreClockTest {
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  /** What has passed in truth; the database's clock is right. */
  private Duration passed = Duration.ZERO;

  /** How far this machine's clock is off. */
  private Duration off = Duration.ofSeconds(7);

  private final StoreClock clock =
      new StoreClock(this::now, () -> now().plus(off), () -> passed.toNanos());

  private Instant now() {
    return BEGIN.plus(passed);
  }

  @BeforeEach
  void start() {
    clock.start();
  }

  @AfterEach
  void close() {
    clock.close();
  }

  @Test
  void tells_the_database_s_time_whatever_this_machine_s_is() {
    passed = Duration.ofSeconds(40);

    assertThat(clock.instant()).isEqualTo(now());
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT1H", "PT-1H", "PT2S", "PT-2S", "PT0.9S", "PT-0.9S"})
  void is_not_misled_when_this_machine_s_clock_is_set(Duration step) {
    passed = Duration.ofSeconds(40);
    off = off.plus(step);

    assertThat(clock.instant()).isEqualTo(now());
  }
}
