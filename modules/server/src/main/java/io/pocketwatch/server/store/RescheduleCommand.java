// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.store.MessageKey;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Moves a stored message to another time. */
@Command(
    name = "reschedule",
    description = {
      "Moves a stored message to another time, earlier or later. A copy the broker has already is"
          + " skipped by the delivery guard when it arrives.",
      "A loader has to run ('serve' or 'load') for it to reach the broker.",
      ""
    },
    footer = {
      "",
      "  pocketwatch reschedule order-timeout ID --in 2h",
      "  pocketwatch reschedule order-timeout ID --to 2026-01-31T09:00+01:00",
      "",
      "Exit code 0 only if it was moved; else 1."
    })
public final class RescheduleCommand extends StoreVerb {
  @Parameters(index = "0", paramLabel = "ROUTE", description = "The message's route.")
  private String route = "";

  @Parameters(index = "1", paramLabel = "ID", description = "The message's id.")
  private String id = "";

  @Option(names = "--to", paramLabel = "T", description = "The new time: " + Moments.ALLOWED + ".")
  private @Nullable String to;

  @Option(
      names = "--in",
      paramLabel = "D",
      description = "So long from now: 10ms, 15s, 30m, 2h, 31d or ISO-8601 (PT30M).")
  private @Nullable String in;

  @Option(names = "--now", description = "As soon as possible; also allows a time that has passed.")
  private boolean now;

  @Option(names = "--json", description = "Print one JSON object in place of a sentence.")
  private boolean json;

  private @Nullable Instant instant;
  private @Nullable Duration delay;

  @Override
  void checkUsage() {
    if (to != null && in != null) {
      throw usage("give --to or --in, not both");
    }
    if (to == null && in == null && !now) {
      throw usage("say when: --to T, --in D or --now");
    }
    try {
      delay = in == null ? null : DurationText.parse(in);
    } catch (IllegalArgumentException e) {
      throw usage("--in " + e.getMessage());
    }
  }

  @Override
  void checkTimes(Moments moments) {
    instant = time(moments, "--to", to);
  }

  @Override
  boolean run(Asked asked) {
    Instant present = asked.store().now();
    Instant wanted = wanted(present);
    if (wanted.isBefore(present) && !now) {
      throw usage(
          "%s has passed (%s); with --now it is sent as soon as possible"
              .formatted(Moments.show(wanted), Moments.relative(wanted, present)));
    }
    MessageKey key = new MessageKey(route, id);
    return new Changes(asked, "moved", json)
        .apply(
            Selection.one(route, id),
            each -> asked.store().reschedule(key, wanted, Actor.ofThisProcess()));
  }

  private Instant wanted(Instant present) {
    Instant wanted = instant;
    if (wanted == null) {
      wanted = delay == null ? present : after(present, delay);
    }
    Instant millis = wanted.truncatedTo(ChronoUnit.MILLIS);
    Instant rounded = millis.equals(wanted) ? wanted : millis.plusMillis(1); // never early
    if (rounded.isAfter(DelayLimits.LATEST)) {
      throw tooLate();
    }
    return rounded;
  }

  private Instant after(Instant present, Duration pause) {
    try {
      return present.plus(pause);
    } catch (DateTimeException | ArithmeticException e) {
      throw tooLate();
    }
  }

  private RuntimeException tooLate() {
    return usage(
        "%s is after %s, the latest a message can be due"
            .formatted(to == null ? "--in " + in : "--to " + to, DelayLimits.LATEST));
  }
}
