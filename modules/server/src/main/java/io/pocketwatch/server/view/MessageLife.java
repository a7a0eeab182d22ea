// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.view;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.OverviewStore.Changed;
import io.pocketwatch.store.OverviewStore.Handled;
import io.pocketwatch.store.OverviewStore.Life;
import io.pocketwatch.store.SchedulingStore.MessageChange.Kind;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The events in a message's life, derived from its row: nothing is written for them. */
final class MessageLife {
  private static final String RESCHEDULED = ChangeWords.done(Kind.RESCHEDULE);

  private final List<Event> events = new ArrayList<>();

  private MessageLife() {}

  /** One event; {@code order} sorts it, also if its own instant was not kept. */
  private record Event(Instant order, Map<String, @Nullable Object> json) {}

  /** The events in their order, for JSON; the instant {@code due} also before it has come. */
  public static List<Map<String, @Nullable Object>> of(StoredMessage stored, Life life) {
    MessageLife line = new MessageLife();
    line.add("scheduled", stored.createdAt()).put("due", life.firstDeliverAt());
    life.changes().forEach(line::changed);
    line.copy(stored, life.handling());
    if (stored.state() != MessageState.CANCELLED) {
      line.add("due", stored.deliverAt(), line.afterReschedules(stored.deliverAt()));
    }
    if (life.handling() != null) {
      line.handled(life.handling(), stored);
    }
    if (stored.state() == MessageState.PARKED || stored.state() == MessageState.FAILED) {
      Map<String, @Nullable Object> event =
          line.add(stored.state().name().toLowerCase(Locale.ROOT), stored.updatedAt());
      event.put("reason", stored.reason());
      event.put("attempts", stored.attempts());
    }
    return line.events.stream()
        .sorted(Comparator.comparing(Event::order)) // stable: of one instant, as they were added
        .map(Event::json)
        .toList();
  }

  /** A reschedule to now is noted a moment after its instant, so sort behind it. */
  private Instant afterReschedules(Instant due) {
    return events.stream()
        .filter(event -> RESCHEDULED.equals(event.json().get("what")))
        .map(Event::order)
        .filter(due::isBefore)
        .max(Comparator.naturalOrder())
        .orElse(due);
  }

  private Map<String, @Nullable Object> add(String what, Instant at) {
    return add(what, at, at);
  }

  private Map<String, @Nullable Object> add(String what, @Nullable Instant at, Instant order) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("what", what);
    json.put("at", at);
    events.add(new Event(order, json));
    return json;
  }

  private void changed(Changed change) {
    Kind kind =
        switch (change.kind()) {
          case CANCELLED -> Kind.CANCEL;
          case RESCHEDULED -> Kind.RESCHEDULE;
          case RETRIED -> Kind.RETRY;
        };
    Map<String, @Nullable Object> event = add(ChangeWords.done(kind), change.at());
    event.put("by", change.by());
    if (change.deliverAt() != null) {
      event.put("due", change.deliverAt());
    }
  }

  /** The last copy: the row keeps when it was sent to its target, or how long it may be held. */
  private void copy(StoredMessage stored, @Nullable Handled handling) {
    Instant until = stored.heldUntil();
    if (until == null) {
      return;
    }
    Map<String, @Nullable Object> event =
        stored.message().tracking() == Tracking.FULL
            ? add("sent", sentAt(until, handling))
            : held(stored, until);
    if (stored.state() == MessageState.HELD && stored.reason() != null) {
      event.put("reason", stored.reason());
    }
  }

  /** When it was sent: the confirm may come after the consumer has begun, so take the earlier. */
  private static Instant sentAt(Instant confirmed, @Nullable Handled handling) {
    return handling != null && handling.settledAt() != null && confirmed.isAfter(handling.begunAt())
        ? handling.begunAt()
        : confirmed;
  }

  /** The time of the hand-off is kept until the row changes again. */
  private Map<String, @Nullable Object> held(StoredMessage stored, Instant until) {
    boolean known = stored.state() == MessageState.HELD && !stored.updatedAt().isAfter(until);
    Instant at = known ? stored.updatedAt() : null;
    Instant order = until.isBefore(stored.deliverAt()) ? until : stored.deliverAt();
    Map<String, @Nullable Object> event = add("held", at, at == null ? order : at);
    event.put("until", until);
    return event;
  }

  private void handled(Handled each, StoredMessage stored) {
    Map<String, @Nullable Object> event = add("delivered", each.begunAt());
    event.put("consumer", each.consumer());
    if (!each.begunAt().isBefore(stored.deliverAt())) {
      event.put("lateMs", Duration.between(stored.deliverAt(), each.begunAt()).toMillis());
    }
    if (each.settledAt() != null) {
      add("settled", each.settledAt()).put("consumer", each.consumer());
    }
  }
}
