// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import io.pocketwatch.screen.Numbers;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAccessor;

/** Instants as people write and read them; without an offset they are in the loader's zone. */
public record Moments(ZoneId zone) {
  public static final String ALLOWED =
      "write for example 2026-01-31T08:00:00Z, 2026-01-31T09:00+01:00, or without an offset, in the"
          + " zone of pocketwatch.loader.zone, 2026-01-31T09:00 or 2026-01-31";

  /**
   * @throws DateTimeException if it is no time
   */
  public Instant parse(String text) {
    TemporalAccessor parsed =
        text.length() <= "2026-01-31".length()
            ? LocalDate.parse(text)
            : DateTimeFormatter.ISO_DATE_TIME.parseBest(
                text, OffsetDateTime::from, LocalDateTime::from);
    if (parsed instanceof OffsetDateTime withOffset) {
      return withOffset.toInstant();
    }
    return parsed instanceof LocalDate day
        ? day.atStartOfDay(zone).toInstant()
        : ((LocalDateTime) parsed).atZone(zone).toInstant();
  }

  /** To the second, or to the millisecond where it matters. */
  public static String show(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MILLIS).toString();
  }

  /** Roughly how far from now: {@code in 3 h}, {@code 2 d ago}. */
  public static String relative(Instant instant, Instant now) {
    Duration distance = Duration.between(now, instant);
    String length = Numbers.rough(distance.abs());
    return distance.isNegative() ? length + " ago" : "in " + length;
  }
}
