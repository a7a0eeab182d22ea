// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.HelpOption;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.screen.Visible;
import io.pocketwatch.server.config.ConfigurationFile;
import io.pocketwatch.server.store.MessageChanges;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.OverviewStore.ChangeNote;
import io.pocketwatch.store.StoreException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that opens the store, asks it something, and closes it. */
abstract class StoreCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private HelpOption help;
  @Mixin private ConfigOption config;

  @Override
  public final Integer call() {
    checkUsage();
    ConfigurationFile file = config.load();
    checkTimes(new TimeArguments(file.routes().loader().zone()));
    try (OpenStore open = OpenStore.connect(file.requireStore())) {
      Screen screen = Screen.of(spec.commandLine());
      return run(new Invocation(file, open.store(), screen)) ? ExitCodes.DONE : ExitCodes.FAILED;
    }
  }

  /** Refuses options that do not go together, before anything is opened. */
  void checkUsage() {}

  /** Reads arguments that are times, which may need the zone of the configuration. */
  void checkTimes(TimeArguments moments) {}

  /** Runs the command; false if its purpose was not achieved. */
  abstract boolean run(Invocation call);

  /**
   * Refuses a route that neither the configuration nor a row has: otherwise nothing would match, as
   * if all were well.
   */
  static void requireRoute(Invocation call, @Nullable String route) {
    if (route == null || call.file().routes().named(route) != null) {
      return;
    }
    Set<String> stored = call.store().countsByState().keySet();
    if (!stored.contains(route)) {
      Set<String> known = new TreeSet<>(stored);
      call.file().routes().all().map(DelayRoute::name).forEach(known::add);
      throw new CommandFailedException(
          ExitCodes.USAGE,
          "--route: there is no route '%s' in the configuration, and no row of it; known: %s"
              .formatted(Visible.word(route), Visible.word(String.join(", ", known))));
    }
  }

  final void requireOrder(@Nullable Instant from, @Nullable Instant until) {
    if (from != null && until != null && !from.isBefore(until)) {
      throw usage("--due-from %s is not before --due-until %s".formatted(from, until));
    }
  }

  final String commandName() {
    return spec.name();
  }

  final ParameterException usage(String problem) {
    return new ParameterException(spec.commandLine(), problem);
  }

  final @Nullable Instant time(TimeArguments moments, String option, @Nullable String text) {
    try {
      return text == null ? null : moments.parse(text);
    } catch (DateTimeException e) {
      throw usage("%s '%s' is not a time; %s".formatted(option, text, TimeArguments.ALLOWED));
    }
  }

  /**
   * The context of a command.
   *
   * @param file the configuration
   * @param store the open store
   * @param screen where to write
   */
  record Invocation(ConfigurationFile file, DelayStore store, Screen screen) {
    /** Notes what this user has changed. If that fails, the change is still done. */
    void note(String what, @Nullable String route, String subject, long done, long refused) {
      try {
        store.note(new ChangeNote(MessageChanges.thisUser(), what, route, subject, done, refused));
      } catch (StoreException e) {
        screen.say("This change is not in the list of changes: " + ErrorWords.of(e));
      }
    }
  }
}
