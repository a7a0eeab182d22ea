// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.view;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.SchedulingStore.MessageChange.Kind;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Describes changes: the outcome, with the reason if nothing changed. */
public final class ChangeWords {
  private ChangeWords() {}

  /** The states whose messages are changed if nobody names any. */
  public static Set<MessageState> changeable(Kind kind) {
    return kind == Kind.RETRY
        ? EnumSet.of(MessageState.PARKED)
        : EnumSet.of(
            MessageState.PENDING, MessageState.HELD, MessageState.FAILED, MessageState.PARKED);
  }

  /** What a change is called, by REST, the command line and the list of changes. */
  public static String name(Kind kind) {
    return switch (kind) {
      case CANCEL -> "cancel";
      case RESCHEDULE -> "reschedule";
      case RETRY -> "retry";
    };
  }

  /** The state of a message after a change, in a word. */
  public static String done(Kind kind) {
    return switch (kind) {
      case CANCEL -> "cancelled";
      case RESCHEDULE -> "rescheduled";
      case RETRY -> "retried";
    };
  }

  /**
   * @param done what a changed message is then: cancelled, rescheduled, retried
   * @param after the message as it is now
   */
  public static String of(
      String done, MessageKey key, ChangeOutcome outcome, Optional<StoredMessage> after) {
    return switch (outcome) {
      case DONE -> done(done, key, after);
      case BEING_HANDLED ->
          "Not %s: a consumer is handling %s right now; ask again when it has ended."
              .formatted(done, key);
      case UNKNOWN ->
          ("Not %s: there is no message %s. It may have been finished so long ago that it is"
                  + " deleted; or its route is not tracked, and the broker has it.")
              .formatted(done, key);
      case TOO_LATE ->
          "Not %s, too late: %s."
              .formatted(
                  done, after.map(ChangeWords::state).orElse(key + " was handed to the broker"));
      case UNCERTAIN -> throw new IllegalArgumentException("a store that does not know throws");
    };
  }

  private static String done(String done, MessageKey key, Optional<StoredMessage> after) {
    String word = done.substring(0, 1).toUpperCase(Locale.ROOT) + done.substring(1);
    String copy = after.map(ChangeWords::copy).orElse("");
    String due = after.map(each -> TimeText.show(each.deliverAt())).orElse("an unknown time");
    return switch (done) {
      case "cancelled" -> "%s: %s, which was due %s.%s".formatted(word, key, due, copy);
      case "rescheduled" -> "%s: %s is now due %s.%s".formatted(word, key, due, copy);
      default -> "%s: %s, due %s, waits for a loader.%s".formatted(word, key, due, copy);
    };
  }

  /** What becomes of an earlier copy. */
  private static String copy(StoredMessage after) {
    Instant until = after.heldUntil();
    if (until == null) {
      return "";
    }
    if (after.message().tracking() == Tracking.FULL) {
      return " A copy that was sent before is skipped by the delivery guard.";
    }
    return after.state() == MessageState.PENDING && until.isAfter(after.updatedAt())
        ? " The copy that the broker holds arrives, too."
        : "";
  }

  private static String state(StoredMessage stored) {
    String since = TimeText.show(stored.updatedAt());
    MessageState state = stored.state();
    if (state == MessageState.SETTLED) {
      return stored.key() + " was settled at " + since;
    }
    if (state == MessageState.CANCELLED) {
      return stored.key() + " was cancelled at " + since;
    }
    if (state == MessageState.PENDING) {
      return stored.key() + " is on its way to the broker at this moment, or waits there already";
    }
    if (stored.message().tracking() == Tracking.HANDOFF) {
      return stored.key()
          + " was handed to the broker at "
          + since
          + ", and with tracking handoff nobody would skip that copy";
    }
    return stored.key() + " is " + state.name() + " since " + since;
  }

  /** Describes a filter in short. */
  public static String of(MessageQuery filter) {
    List<String> words = new ArrayList<>();
    add(words, "business key", filter.businessKey());
    add(words, "reason", filter.reason());
    add(words, "due from", filter.from());
    add(words, "due until", filter.until());
    if (filter.overdue()) {
      words.add("overdue");
    }
    words.add(filter.states().stream().sorted().map(Enum::name).collect(Collectors.joining(", ")));
    return String.join("; ", words);
  }

  private static void add(List<String> words, String what, @Nullable Object value) {
    if (value != null) {
      words.add(what + " " + value);
    }
  }
}
