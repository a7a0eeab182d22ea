// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.server.view.TimeText;
import io.pocketwatch.store.SchedulingStore.MessageChange;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Reschedules stored messages. */
@Command(
    name = "reschedule",
    description = {
      "Reschedules a stored message, or all of a filter: earlier or later.",
      "A copy the broker has already is skipped by the delivery guard when it arrives.",
      "A loader has to run ('serve' or 'load') for it to reach the broker.",
      ""
    },
    footer = {
      "",
      "  pocketwatch reschedule order-timeout ID --in 2h",
      "  pocketwatch reschedule order-timeout ID --to 2026-01-31T09:00+01:00",
      "  pocketwatch reschedule --route order-timeout --due-until 2026-01-31 --by 1h",
      "",
      "Exit code 0 only if all of them are rescheduled; else 1."
    })
public final class RescheduleCommand extends ChangeCommand {
  @Option(
      names = "--to",
      paramLabel = "T",
      description = "The new time: " + TimeArguments.ALLOWED + ".")
  private @Nullable String to;

  @Option(
      names = "--in",
      paramLabel = "D",
      description = "So long from now: " + DurationText.FORM + ".")
  private @Nullable String in;

  @Option(names = "--now", description = "As soon as possible; also allows a time that has passed.")
  private boolean now;

  @Option(
      names = "--by",
      paramLabel = "D",
      description = "With a filter: so much later than each is due, or earlier: 1h, -30m.")
  private @Nullable String by;

  private @Nullable Instant instant;
  private @Nullable Duration delay;
  private @Nullable MessageChange farther;

  @Override
  void checkUsage() {
    super.checkUsage();
    int times = (to == null ? 0 : 1) + (in == null ? 0 : 1) + (by == null ? 0 : now ? 2 : 1);
    if (times > 1) {
      throw usage("give one of --to, --in and --by; --now does not go with --by");
    }
    if (to == null && in == null && by == null && !now) {
      throw usage("say when: --to T, --in D, --by D or --now");
    }
    if (by != null && one()) {
      throw usage("--by goes with a filter; use --to or --in for one message");
    }
    delay = duration("--in", in);
    Duration moved = duration("--by", by);
    try {
      farther = moved == null ? null : MessageChange.rescheduleBy(moved);
    } catch (IllegalArgumentException e) {
      throw usage("--by: " + ErrorWords.of(e));
    }
  }

  private @Nullable Duration duration(String option, @Nullable String text) {
    try {
      return text == null ? null : DurationText.parse(text);
    } catch (IllegalArgumentException e) {
      throw usage(option + " " + ErrorWords.of(e));
    }
  }

  @Override
  void checkTimes(TimeArguments moments) {
    super.checkTimes(moments);
    instant = time(moments, "--to", to);
  }

  @Override
  MessageChange change(Invocation call) {
    if (farther != null) {
      return farther;
    }
    Instant present = call.store().now();
    Instant wanted = wanted(present);
    if (wanted.isBefore(present) && !now) {
      throw usage(
          "%s has passed (%s); with --now it is sent as soon as possible"
              .formatted(TimeText.show(wanted), TimeText.relative(wanted, present)));
    }
    return MessageChange.rescheduleTo(wanted);
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
