// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;

/** Instants as text for logs: in the zone of this machine, with its offset. */
public final class InstantText {
  private InstantText() {}

  /** To the second, as {@code 2026-11-27T00:00:00+01:00}. */
  public static String of(Instant instant) {
    return DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(
        instant.truncatedTo(ChronoUnit.SECONDS).atZone(ZoneId.systemDefault()));
  }
}
