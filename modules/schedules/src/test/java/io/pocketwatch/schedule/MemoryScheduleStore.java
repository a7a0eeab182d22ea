// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduleStore;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Schedules and rows in memory, on a clock that the test sets. */
final class MemoryScheduleStore implements ScheduleStore {
  static final DelayRoutes ROUTES =
      DelayRoutes.builder()
          .route(
              DelayRoute.builder("reports")
                  .exchange("reports")
                  .routingKey("daily")
                  .tracking(Tracking.FULL)
                  .build())
          .route(DelayRoute.builder("any-key").exchange("keys").tracking(Tracking.HANDOFF).build())
          .route(DelayRoute.builder("untracked").exchange("u").routingKey("u").build())
          .build();

  final TreeMap<String, StoredSchedule> schedules = new TreeMap<>();
  final TreeMap<String, ScheduledMessage> rows = new TreeMap<>();

  /** By id, where it is not pending. */
  final TreeMap<String, MessageState> states = new TreeMap<>();

  /** Ids that have ended: none may be inserted again. */
  final Set<String> ended = new HashSet<>();

  Instant now = Instant.parse("2027-01-01T00:00:00Z");

  Schedules facade() {
    return new Schedules(this, () -> now, occurrenceRows());
  }

  static OccurrenceRows occurrenceRows() {
    return new OccurrenceRows(
        ROUTES,
        message ->
            new ScheduledMessage(
                new MessageKey(message.route(), message.id()),
                message.businessKey(),
                message.exchange(),
                message.routingKey(),
                new byte[0],
                message.body(),
                message.deliverAt(),
                Tracking.FULL));
  }

  @Override
  public List<StoredSchedule> schedules() {
    return schedules.values().stream().map(each -> withPayload(each, null)).toList();
  }

  @Override
  public Optional<StoredSchedule> schedule(String name) {
    return Optional.ofNullable(schedules.get(name));
  }

  @Override
  public ScheduleTotals scheduleTotals() {
    return new ScheduleTotals(
        schedules.size(),
        schedules.values().stream().mapToLong(each -> each.payload().length()).sum());
  }

  @Override
  public ScheduleChanged change(
      String name,
      Function<FoundSchedule, List<MessageKey>> withdraw,
      Function<FoundSchedule, ScheduleChange> change) {
    StoredSchedule found = schedules.get(name);
    MessageKey last = found == null ? null : found.lastKey();
    FoundSchedule first = new FoundSchedule(found, now, state(last), List.of());
    List<MessageKey> withdrawn =
        withdraw.apply(first).stream()
            .takeWhile(each -> rows.containsKey(each.id()) && !states.containsKey(each.id()))
            .toList();
    change.apply(first); // as after a deadlock
    ScheduleChange what = change.apply(new FoundSchedule(found, now, first.last(), withdrawn));
    withdrawn.forEach(each -> rows.remove(each.id()));
    List<InsertOutcome> inserted = new ArrayList<>();
    for (ScheduledMessage each : what.insert()) {
      if (ended.contains(each.key().id())) {
        throw new AssertionError(each.key() + " is sent twice");
      }
      inserted.add(
          rows.putIfAbsent(each.key().id(), each) == null
              ? InsertOutcome.INSERTED
              : InsertOutcome.CONFLICT);
    }
    schedules.remove(name);
    StoredSchedule after = what.schedule();
    if (after != null) {
      String kept = found == null ? "{}" : found.payload();
      schedules.put(name, after.payload() == null ? withPayload(after, kept) : after);
    }
    return new ScheduleChanged(what, inserted);
  }

  private static StoredSchedule withPayload(StoredSchedule of, @Nullable String payload) {
    ScheduleDraft draft = new ScheduleDraft(of);
    draft.payload = payload;
    return draft.toStored();
  }

  private @Nullable MessageState state(@Nullable MessageKey key) {
    return key == null || !rows.containsKey(key.id()) || ended.contains(key.id())
        ? null
        : states.getOrDefault(key.id(), MessageState.PENDING);
  }

  @Override
  public Fired fireDue(Duration ahead, int limit, Function<FoundSchedule, ScheduleChange> change) {
    List<ScheduleChanged> changed = new ArrayList<>();
    Map<String, RuntimeException> failed = new HashMap<>();
    schedules().stream()
        .filter(each -> wakesAt(each) != null && !wakesAt(each).isAfter(now.plus(ahead)))
        .sorted(Comparator.comparing(MemoryScheduleStore::wakesAt))
        .limit(limit)
        .map(StoredSchedule::name)
        .forEach(
            name -> {
              try {
                changed.add(change(name, change));
              } catch (RuntimeException e) {
                failed.put(name, e);
              }
            });
    return new Fired(changed, failed);
  }

  private static @Nullable Instant wakesAt(StoredSchedule schedule) {
    return schedule.pausedAt() == null ? schedule.nextAt() : schedule.pausedUntil();
  }

  @Override
  public List<MessageMark> withIdsFrom(String route, String idPrefix, int limit) {
    return rows.descendingMap().values().stream()
        .filter(row -> row.key().id().startsWith(idPrefix) && row.key().route().equals(route))
        .limit(limit)
        .map(
            row ->
                new MessageMark(
                    row.key(),
                    states.getOrDefault(row.key().id(), MessageState.PENDING),
                    row.deliverAt(),
                    now,
                    now))
        .toList();
  }
}
