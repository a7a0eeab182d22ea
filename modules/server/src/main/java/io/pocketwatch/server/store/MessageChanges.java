// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.server.view.ChangeWords;
import io.pocketwatch.server.view.MessageView;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.SchedulingStore;
import io.pocketwatch.store.SchedulingStore.ManyChanged;
import io.pocketwatch.store.SchedulingStore.MessageChange;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Cancel, reschedule and retry, for the command line and for REST.
 *
 * @param store the store to change
 * @param overview shows a message after a change
 * @param actor who changes messages, as it is kept with them
 */
public record MessageChanges(SchedulingStore store, DelayStore overview, String actor) {

  /** The actor of the command line: the user of the operating system. */
  public static String thisUser() {
    return "cli:" + System.getProperty("user.name", "unknown");
  }

  /** Changes one message. */
  public ChangeOutcome apply(MessageKey key, MessageChange change) {
    return switch (change.kind()) {
      case CANCEL -> store.cancel(key, actor);
      case RETRY -> store.retry(key, actor);
      case RESCHEDULE -> reschedule(key, change);
    };
  }

  private ChangeOutcome reschedule(MessageKey key, MessageChange change) {
    Instant to = change.to();
    if (to == null) {
      Optional<MessageSummary> now = overview.summary(key);
      if (now.isEmpty()) {
        return ChangeOutcome.UNKNOWN;
      }
      to = now.get().stored().deliverAt().plus(Objects.requireNonNull(change.by()));
    }
    return to.isAfter(DelayLimits.LATEST)
        ? ChangeOutcome.TOO_LATE
        : store.reschedule(key, to, actor);
  }

  /** Changes one message, and looks at it. */
  public Changed one(MessageKey key, MessageChange change) {
    ChangeOutcome outcome = apply(key, change);
    Optional<MessageSummary> after = overview.summary(key);
    String words =
        ChangeWords.of(
            ChangeWords.done(change.kind()), key, outcome, after.map(MessageSummary::stored));
    return new Changed(
        key, outcome, words, after.map(each -> MessageView.of(each, overview.now())).orElse(null));
  }

  /**
   * The outcome of a change.
   *
   * @param words a sentence
   * @param message the message now, if it exists
   */
  public record Changed(
      MessageKey key, ChangeOutcome outcome, String words, @Nullable MessageView message) {

    /** The outcome for REST and {@code --json}. */
    public Map<String, @Nullable Object> json() {
      Map<String, @Nullable Object> json = new LinkedHashMap<>();
      json.put("route", key.route());
      json.put("id", key.id());
      json.put("outcome", outcome);
      json.put("detail", words);
      json.put("message", message);
      return json;
    }
  }

  /** How many of a filter were changed and were not, for REST and {@code --json}. */
  public static Map<String, @Nullable Object> json(ManyChanged changed) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("changed", changed.count(ChangeOutcome.DONE));
    json.put("tooLate", changed.count(ChangeOutcome.TOO_LATE));
    json.put("beingHandled", changed.count(ChangeOutcome.BEING_HANDLED));
    return json;
  }
}
