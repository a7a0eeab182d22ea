// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.server.view.TimeText;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeArgumentsTest {
  private static final Instant NOW = Instant.parse("2026-01-31T08:00:00Z");

  private final TimeArguments moments = new TimeArguments(ZoneId.of("Europe/Berlin"));

  @ParameterizedTest
  @CsvSource({
    "2026-01-31T08:00:00Z, 2026-01-31T08:00:00Z",
    "2026-01-31T08:00:00.125Z, 2026-01-31T08:00:00.125Z",
    "2026-01-31T08:00+08:00, 2026-01-31T00:00:00Z",
    "2026-01-31T08:00, 2026-01-31T07:00:00Z",
    "2026-01-31, 2026-01-30T23:00:00Z",
    "2026-07-31, 2026-07-30T22:00:00Z",
  })
  void with_an_offset_or_in_the_loaders_zone(String text, Instant instant) {
    assertThat(moments.parse(text)).isEqualTo(instant);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "today", "31.01.2026", "2026-02-30", "08:00", "2026-01-31 08:00"})
  void no_time(String text) {
    assertThatThrownBy(() -> moments.parse(text)).isInstanceOf(DateTimeException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "2026-01-31T08:00:59Z, in 59 s",
    "2026-01-31T09:30:00Z, in 90 min",
    "2026-01-31T20:00:00Z, in 12 h",
    "2026-01-29T08:00:00Z, 2 d ago",
  })
  void how_far_away(Instant instant, String words) {
    assertThat(TimeText.relative(instant, NOW)).isEqualTo(words);
  }
}
