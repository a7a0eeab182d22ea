// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.cli;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.screen.Json;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import io.pocketwatch.screen.Visible;
import io.pocketwatch.server.store.MessageChanges;
import io.pocketwatch.server.store.MessageChanges.Changed;
import io.pocketwatch.server.view.ChangeWords;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.SchedulingStore.ManyChanged;
import io.pocketwatch.store.SchedulingStore.MessageChange;
import io.pocketwatch.store.SchedulingStore.MessageChange.Kind;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command that changes one message, or all of a filter, and reports the outcome. */
public abstract class ChangeCommand extends FilterCommand {
  private static final int BATCH = 1_000;
  private static final long PROGRESS_NANOS = Duration.ofSeconds(5).toNanos();

  @Parameters(index = "0", arity = "0..1", paramLabel = "ROUTE", description = "Its route.")
  private @Nullable String keyRoute;

  @Parameters(index = "1", arity = "0..1", paramLabel = "ID", description = "Its id.")
  private @Nullable String keyId;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Only those that are parked, failed or held with this reason, exactly.")
  private @Nullable String reason;

  @Option(names = "--dry-run", description = "Say how many there are, and change nothing.")
  private boolean dryRun;

  @Option(names = "--json", description = "Print one JSON object in place of sentences.")
  private boolean json;

  /** Whether the messages of all routes are meant. */
  boolean all() {
    return false;
  }

  /** Whether one message is meant, and not a filter. */
  final boolean one() {
    return keyRoute != null;
  }

  @Override
  void checkUsage() {
    boolean broad = route != null || businessKey != null;
    boolean narrowed =
        !states.isEmpty() || reason != null || dueFrom != null || dueUntil != null || dryRun;
    if (one() ? keyId == null || broad || narrowed || all() : !broad && !all()) {
      throw usage("give either ROUTE ID, or --route, --business-key or both");
    }
    if (!ChangeWords.changeable(Kind.CANCEL).containsAll(states)) {
      throw usage("--state: what is settled or cancelled can no longer be changed");
    }
  }

  /** The change of each message. */
  abstract MessageChange change(Invocation call);

  @Override
  final boolean run(Invocation call) {
    requireRoute(call, route);
    MessageChange change = change(call);
    if (keyRoute == null || keyId == null) {
      return many(call, change);
    }
    Changed changed =
        new MessageChanges(call.store(), call.store(), MessageChanges.thisUser())
            .one(new MessageKey(keyRoute, keyId), change);
    boolean done = changed.outcome() == ChangeOutcome.DONE;
    call.note(ChangeWords.name(change.kind()), keyRoute, keyId, done ? 1 : 0, done ? 0 : 1);
    call.screen().result(json ? Json.line(changed.json()) : Visible.word(changed.words()));
    return done;
  }

  /** Whether all of them were changed, and there was at least one. */
  private boolean many(Invocation call, MessageChange change) {
    Set<MessageState> wanted =
        states.isEmpty() ? ChangeWords.changeable(change.kind()) : EnumSet.copyOf(states);
    MessageQuery filter =
        new MessageQuery(
            route, wanted, businessKey, reason, from, until, false, false, null, BATCH);
    String done = ChangeWords.done(change.kind());
    Screen screen = call.screen();
    long matching = call.store().count(filter);
    if (dryRun) {
      screen.result(
          json
              ? Json.line(Map.of("matching", matching))
              : "%s would be %s.".formatted(Numbers.of(matching, "message"), done));
      return matching > 0;
    }
    screen.say(Numbers.of(matching, "message") + (matching == 1 ? " matches." : " match."));
    long[] said = {System.nanoTime()};
    ManyChanged all =
        call.store()
            .changeAll(
                filter,
                change,
                MessageChanges.thisUser(),
                soFar -> {
                  if (System.nanoTime() - said[0] > PROGRESS_NANOS) {
                    said[0] = System.nanoTime();
                    screen.say(words(soFar, done, 0) + " So far.");
                  }
                  return true;
                });
    long changed = all.count(ChangeOutcome.DONE);
    long before = all.total() == 0 ? doneBefore(call, change, filter) : 0;
    screen.result(json ? Json.line(MessageChanges.json(all)) : words(all, done, before));
    call.note(
        ChangeWords.name(change.kind()),
        route,
        ChangeWords.of(filter),
        changed,
        all.total() - changed);
    return changed + before > 0 && changed == all.total();
  }

  /** Counts messages that were cancelled before: a repeated cancel has not failed. */
  private long doneBefore(Invocation call, MessageChange change, MessageQuery filter) {
    return change.kind() == Kind.CANCEL && states.isEmpty()
        ? call.store().count(filter.states(MessageState.CANCELLED))
        : 0;
  }

  private static String words(ManyChanged changed, String done, long before) {
    return Numbers.of(changed.count(ChangeOutcome.DONE), "message")
        + " "
        + done
        + part(changed.count(ChangeOutcome.TOO_LATE), " came too late for")
        + part(changed.count(ChangeOutcome.BEING_HANDLED), " being handled right now")
        + part(before, " " + done + " before")
        + ".";
  }

  private static String part(long count, String what) {
    return count > 0 ? "; " + Numbers.count(count) + what : "";
  }

  /** Cancels stored messages. */
  @Command(
      name = "cancel",
      description = {
        "Cancels a stored message, or all of a filter that are not finished.",
        "It says what came too late.",
        ""
      },
      footer = {
        "",
        "  pocketwatch cancel order-timeout ID",
        "  pocketwatch cancel --business-key order-4711",
        "  pocketwatch cancel --route order-timeout --due-until 2026-01-31 --dry-run",
        "",
        "Exit code 0 only if all of them are cancelled, now or before; else 1."
      })
  public static final class Cancel extends ChangeCommand {
    @Override
    MessageChange change(Invocation call) {
      return MessageChange.cancel();
    }
  }

  /** Gives messages another try. */
  @Command(
      name = "retry",
      description = {
        "Gives another try to a message that is parked, failed or held, or to all parked ones of a"
            + " filter.",
        "It is sent again at its time, or, if that has passed, as soon as a loader runs.",
        "An earlier copy that is still on the broker is skipped by the delivery guard.",
        ""
      },
      footer = {
        "",
        "  pocketwatch retry order-timeout ID",
        "  pocketwatch retry --route order-timeout",
        "  pocketwatch retry --business-key order-4711 --state parked,failed",
        "",
        "Exit code 0 only if all of them are retried; else 1."
      })
  public static final class Retry extends ChangeCommand {
    @Option(names = "--all", description = "All parked messages, of all routes or of a filter.")
    private boolean all;

    @Override
    boolean all() {
      return all;
    }

    @Override
    MessageChange change(Invocation call) {
      return MessageChange.retry();
    }
  }
}
