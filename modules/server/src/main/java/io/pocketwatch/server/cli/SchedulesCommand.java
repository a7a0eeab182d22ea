// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.schedule.Schedule;
import io.pocketwatch.schedule.ScheduleView;
import io.pocketwatch.schedule.Schedules;
import io.pocketwatch.schedule.Schedules.Occurrences;
import io.pocketwatch.schedule.Schedules.Run;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Json;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.screen.Visible;
import io.pocketwatch.server.store.MessageChanges;
import io.pocketwatch.server.view.ScheduleContent;
import io.pocketwatch.server.view.TimeText;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows, pauses, runs and removes schedules. */
@Command(
    name = "schedules",
    description = {
      "Lists the schedules in the store, with what they send next.",
      "Changes nothing.",
      "Those in YAML are put in by 'serve', others by the API and by applications.",
      ""
    },
    subcommands = {
      SchedulesCommand.Show.class,
      SchedulesCommand.Next.class,
      SchedulesCommand.Pause.class,
      SchedulesCommand.Resume.class,
      SchedulesCommand.RunNow.class,
      SchedulesCommand.Remove.class
    },
    footer = {
      "",
      "  pocketwatch schedules --json",
      "  pocketwatch schedules show daily-report",
      "  pocketwatch schedules next \"0 9 * * MON-FRI\" --zone Europe/Berlin"
    })
public final class SchedulesCommand extends StoreCommand {
  private static final int SHOWN = 10;
  private static final int MOST_SHOWN = 1_000;

  @Option(names = "--json", description = "Print one JSON object in place of the table.")
  private boolean json;

  @Override
  boolean run(Invocation call) {
    Schedules schedules = of(call);
    List<ScheduleView> all = schedules.list();
    Instant now = schedules.now();
    if (json) {
      List<Map<String, Object>> objects =
          all.stream().map(each -> ScheduleContent.of(each, now, Map.of())).toList();
      call.screen().result(Json.line(Map.of("schedules", objects)));
      return true;
    }
    if (all.isEmpty()) {
      call.screen().say("There are no schedules.");
      return true;
    }
    ScheduleText.table(all, now).forEach(call.screen()::result);
    call.screen().say(Numbers.of(all.size(), "schedule") + ".");
    return true;
  }

  private static Schedules of(Invocation call) {
    return Schedules.of(call.store(), call.file().routes());
  }

  /** A command on one schedule. */
  abstract static class OfOne extends StoreCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "Its name.")
    String name = "";

    /** Refusals that depend on the time, or on the number of schedules, are wrong usage too. */
    @Override
    boolean run(Invocation call) {
      try {
        call.screen().result(change(of(call)));
        call.note(commandName(), null, "schedule " + name, 1, 0);
        return true;
      } catch (IllegalArgumentException e) {
        throw usage(ErrorWords.of(e));
      }
    }

    /** Changes the schedule, and returns the outcome as a sentence. */
    abstract String change(Schedules schedules);
  }

  /** Shows a schedule. */
  @Command(
      name = "show",
      description = {
        "Shows one schedule: its rule in words, the next 10 occurrences with what daylight saving"
            + " does to them, and the last 10. Changes nothing.",
        ""
      },
      footer = {
        "",
        "  pocketwatch schedules show daily-report",
        "",
        "Exit code 1 if there is no such schedule."
      })
  static final class Show extends StoreCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "Its name.")
    private String name = "";

    @Option(names = "--json", description = "Print one JSON object in place of the text.")
    private boolean json;

    @Override
    boolean run(Invocation call) {
      Schedules schedules = of(call);
      Optional<ScheduleView> found = schedules.find(name);
      if (found.isEmpty()) {
        call.screen().failure("There is no schedule '%s'.".formatted(Visible.word(name)));
        return false;
      }
      ScheduleView view = found.get();
      Schedule schedule = view.schedule();
      Occurrences around =
          schedule == null
              ? new Occurrences(List.of(), List.of())
              : schedules.occurrences(name, SHOWN, SHOWN);
      Instant now = schedules.now();
      if (json) {
        Map<String, Object> object = new LinkedHashMap<>(ScheduleContent.of(view, now, Map.of()));
        if (schedule != null) {
          object.putAll(ScheduleContent.of(around, schedule));
        }
        call.screen().result(Json.line(object));
      } else {
        ScheduleText.facts(view, around, now).forEach(call.screen()::result);
      }
      return true;
    }
  }

  /** Explains a rule. */
  @Command(
      name = "next",
      description = {
        "Says in words what a cron expression or an interval means, and when it fires next, with"
            + " what daylight saving does. Needs neither a store nor a configuration.",
        ""
      },
      footer = {
        "",
        "  pocketwatch schedules next \"30 2 * * *\" --zone Europe/Berlin",
        "  pocketwatch schedules next 15m"
      })
  static final class Next implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private HelpOption help;

    @Parameters(
        index = "0",
        paramLabel = "RULE",
        description = "A cron expression of 5 or 6 fields, in quotes; or an interval such as 15m.")
    private String rule = "";

    @Option(
        names = "--zone",
        paramLabel = "ZONE",
        defaultValue = "UTC",
        description = "Whose wall clock counts, such as Europe/Berlin; default ${DEFAULT-VALUE}.")
    private String zone = "UTC";

    @Option(
        names = "--count",
        paramLabel = "N",
        defaultValue = "10",
        description = "So many, 1 to 1000; default ${DEFAULT-VALUE}.")
    private int count;

    @Option(names = "--json", description = "Print one JSON object in place of the text.")
    private boolean json;

    @Override
    public Integer call() {
      if (count < 1 || count > MOST_SHOWN) {
        throw usage("--count " + count + " is not within 1 to " + MOST_SHOWN);
      }
      Schedule schedule = schedule();
      Instant now = Instant.now();
      Occurrences around = new Occurrences(schedule.recurrence().next(now, count), List.of());
      Screen screen = Screen.of(spec.commandLine());
      if (json) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("words", ScheduleContent.words(schedule.recurrence()));
        object.put("next", ScheduleContent.preview(around.next()));
        screen.result(Json.line(object));
      } else {
        screen.result(ScheduleText.words(schedule));
        ScheduleText.next(schedule, around.next(), now).forEach(screen::result);
      }
      return ExitCodes.DONE;
    }

    private Schedule schedule() {
      try {
        Schedule.Builder builder = Schedule.named("preview").route("preview").zone(ZoneId.of(zone));
        boolean interval = rule.matches("(?i)\\d+[a-z]+|P.*");
        return (interval ? builder.every(DurationText.parse(rule)) : builder.cron(rule)).build();
      } catch (DateTimeException e) {
        throw usage(
            "--zone '%s' is no zone; write UTC or for example Europe/Berlin".formatted(zone));
      } catch (IllegalArgumentException e) {
        throw usage(ErrorWords.of(e));
      }
    }

    private ParameterException usage(String problem) {
      return new ParameterException(spec.commandLine(), problem);
    }
  }

  /** Pauses a schedule. */
  @Command(
      name = "pause",
      description = {
        "Stops a schedule from firing. What lies in the pause neither fires nor counts as missed;"
            + " what is due within 10 s may still arrive.",
        ""
      },
      footer = {
        "",
        "  pocketwatch schedules pause daily-report --note \"moving house\" --until 2026-02-01"
      })
  static final class Pause extends OfOne {
    @Option(names = "--note", paramLabel = "TEXT", description = "Why; up to 500 characters.")
    private @Nullable String note;

    @Option(
        names = "--until",
        paramLabel = "T",
        description = "When it resumes by itself: " + TimeArguments.ALLOWED + ".")
    private @Nullable String until;

    private @Nullable Instant end;

    @Override
    void checkTimes(TimeArguments moments) {
      end = time(moments, "--until", until);
    }

    @Override
    String change(Schedules schedules) {
      schedules.pause(name, note, end, MessageChanges.thisUser());
      return "Paused: %s%s.".formatted(name, end == null ? "" : ", until " + TimeText.show(end));
    }
  }

  /** Resumes a schedule. */
  @Command(
      name = "resume",
      description = {"Lets a paused schedule fire again from now on.", ""},
      footer = {"", "  pocketwatch schedules resume daily-report"})
  static final class Resume extends OfOne {
    @Override
    String change(Schedules schedules) {
      Instant next = schedules.resume(name, MessageChanges.thisUser()).stored().nextAt();
      return "Resumed: %s, %s."
          .formatted(name, next == null ? "which has ended" : "next at " + TimeText.show(next));
    }
  }

  /** Sends the message of a schedule now. */
  @Command(
      name = "run",
      description = {
        "Sends a schedule's message now, paused or not. It is no occurrence: counts stay.",
        "A loader has to run ('serve' or 'load') for it to reach the broker.",
        ""
      },
      footer = {"", "  pocketwatch schedules run daily-report --id after-the-fix"})
  static final class RunNow extends OfOne {
    @Option(
        names = "--id",
        paramLabel = "ID",
        description = "Makes a repeated call harmless; up to 90 characters.")
    private @Nullable String id;

    @Override
    String change(Schedules schedules) {
      Run run = schedules.run(name, id, MessageChanges.thisUser());
      return "%s: %s."
          .formatted(
              run.inserted() ? "Due now" : "Was sent before", Visible.word(run.key().toString()));
    }
  }

  /** Removes a schedule. */
  @Command(
      name = "remove",
      description = {
        "Removes a schedule; its messages stay, but for those that are due within 10 s. One that a"
            + " configuration file has must be removed there.",
        ""
      },
      footer = {
        "",
        "  pocketwatch schedules remove daily-report",
        "",
        "Exit code 1 if there is no such schedule."
      })
  static final class Remove extends OfOne {
    @Override
    String change(Schedules schedules) {
      if (!schedules.remove(name, MessageChanges.thisUser())) {
        throw new CommandFailedException(
            ExitCodes.FAILED, "there is no schedule '%s'".formatted(name));
      }
      return "Removed: " + name + ".";
    }
  }
}
