// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;

/** Instants as people write them; without an offset they are in the loader's zone. */
record TimeArguments(ZoneId zone) {
  static final String ALLOWED =
      "write for example 2026-01-31T08:00:00Z, 2026-01-31T09:00+01:00, or without an offset, in the"
          + " zone of pocketwatch.loader.zone, 2026-01-31T09:00 or 2026-01-31";

  /**
   * @throws DateTimeException if it is no time
   */
  Instant parse(String text) {
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
}
