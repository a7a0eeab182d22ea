// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.rows;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.config.LoaderOptions;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HorizonTest {
  @ParameterizedTest
  @CsvSource({
    // an ordinary night
    "Europe/Berlin, 00:00, 2026-06-10T12:00:00Z, 2026-06-10T22:00:00Z",
    // exactly at the run: the next one
    "Europe/Berlin, 00:00, 2026-06-10T22:00:00Z, 2026-06-11T22:00:00Z",
    // a day of 23 hours, and one of 25
    "Europe/Berlin, 00:00, 2026-03-28T23:00:00Z, 2026-03-29T22:00:00Z",
    "Europe/Berlin, 00:00, 2026-10-24T22:00:00Z, 2026-10-25T23:00:00Z",
    // 02:30 is skipped on 29 March: it runs at 03:30
    "Europe/Berlin, 02:30, 2026-03-28T12:00:00Z, 2026-03-29T01:30:00Z",
    // 02:30 comes twice on 25 October: it runs the first time, and then not before the next day
    "Europe/Berlin, 02:30, 2026-10-24T12:00:00Z, 2026-10-25T00:30:00Z",
    "Europe/Berlin, 02:30, 2026-10-25T00:30:00Z, 2026-10-26T01:30:00Z",
    "Europe/Berlin, 02:30, 2026-10-25T01:00:00Z, 2026-10-26T01:30:00Z",
    // midnight itself is skipped in Beirut on 29 March
    "Asia/Beirut, 00:00, 2026-03-28T12:00:00Z, 2026-03-28T22:00:00Z",
    // Samoa left out 30 December 2011 altogether
    "Pacific/Apia, 12:00, 2011-12-29T23:00:00Z, 2011-12-30T22:00:00Z"
  })
  void theNextRunFollowsTheClockOfItsZone(
      String zone, LocalTime at, Instant now, Instant expected) {
    LoaderOptions options = LoaderOptions.builder().at(at).zone(ZoneId.of(zone)).build();

    assertThat(new Horizon(options).nextRun(now)).isEqualTo(expected);
  }

  @Test
  void any_other_rhythm_counts_from_the_epoch() {
    Horizon horizon =
        new Horizon(
            LoaderOptions.builder()
                .every(Duration.ofMinutes(30))
                .lead(Duration.ofMinutes(5))
                .build());

    assertThat(horizon.at(Instant.parse("2026-06-10T12:00:00Z")))
        .isEqualTo(Instant.parse("2026-06-10T12:35:00Z"));
    assertThat(horizon.at(Instant.parse("2026-06-10T12:29:59.999Z")))
        .isEqualTo(Instant.parse("2026-06-10T12:35:00Z"));
  }

  @Test
  void the_horizon_never_moves_back() {
    Horizon horizon =
        new Horizon(
            LoaderOptions.builder()
                .at(LocalTime.of(2, 30))
                .zone(ZoneId.of("Europe/Berlin"))
                .build());
    Instant last = Instant.MIN;
    for (Instant now = Instant.parse("2026-01-01T00:00:00Z");
        now.isBefore(Instant.parse("2027-01-01T00:00:00Z"));
        now = now.plus(Duration.ofMinutes(17))) {
      Instant next = horizon.at(now);
      assertThat(next).isAfterOrEqualTo(last).isAfter(now);
      last = next;
    }
  }
}
