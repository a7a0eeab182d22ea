// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.rows;

import io.pocketwatch.config.LoaderOptions;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZonedDateTime;

/**
 * How far ahead messages are handed to the broker: to the next run, plus the lead.
 *
 * <p>Publishers, loaders and sweeps use this one function. Their results need not agree to the
 * second: a message is either in the database or on the broker. Any row within the horizon is
 * loaded by the next loader that looks. Thread-safe.
 */
public final class Horizon {
  private final LoaderOptions options;
  private volatile Span last = new Span(Instant.MAX, Instant.MIN);

  public Horizon(LoaderOptions options) {
    this.options = options;
  }

  /** Messages due up to this instant belong on the broker. */
  public Instant at(Instant now) {
    return nextRun(now).plus(options.lead());
  }

  /**
   * The first run after an instant. A run time that a clock change skips moves forward with the
   * clock; one that it repeats runs the first time only.
   */
  public Instant nextRun(Instant now) {
    Span span = last; // asked for every message, and the same for most of a day
    if (now.isBefore(span.from) || !now.isBefore(span.nextRun)) {
      span = new Span(now, computeNextRun(now));
      last = span;
    }
    return span.nextRun;
  }

  private Instant computeNextRun(Instant now) {
    Duration every = options.every();
    if (every != null) {
      long step = every.toMillis();
      return Instant.ofEpochMilli(Math.floorDiv(now.toEpochMilli(), step) * step + step);
    }
    LocalDate day = now.atZone(options.zone()).toLocalDate();
    for (LocalDate date = day.minusDays(1); ; date = date.plusDays(1)) {
      Instant run = ZonedDateTime.of(date, options.at(), options.zone()).toInstant();
      if (run.isAfter(now)) {
        return run;
      }
    }
  }

  /** The next run, for all instants from {@code from} up to it. */
  private record Span(Instant from, Instant nextRun) {}
}
