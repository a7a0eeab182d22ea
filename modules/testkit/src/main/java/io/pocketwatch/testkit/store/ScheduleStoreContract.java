// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduleStore.Fired;
import io.pocketwatch.store.ScheduleStore.FoundSchedule;
import io.pocketwatch.store.ScheduleStore.MessageMark;
import io.pocketwatch.store.ScheduleStore.ScheduleChange;
import io.pocketwatch.store.ScheduleStore.ScheduleChanged;
import io.pocketwatch.store.ScheduleStore.ScheduleTotals;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Schedules: what changes together, and who fires. */
public interface ScheduleStoreContract extends StoreContract {
  Duration AHEAD = Duration.ofSeconds(10);

  /** Schedules are the store's, not a route's: none is to be due in the next test. */
  @AfterEach
  default void removeSchedules() {
    store().schedules().forEach(each -> remove(each.name()));
  }

  @Test
  default void keeps_all_of_a_schedule() {
    Instant now = store().now();
    String name = newRoute();
    StoredSchedule full =
        new StoredSchedule(
            name,
            "billing",
            7,
            "{\"cron\":\"0 9 * * MON-FRI\",\"note\":\"für ✓ \"} ",
            "{\"body\":\"für ✓ \"} ",
            now.plusSeconds(60),
            now.minusSeconds(80),
            now.minusSeconds(60),
            new MessageKey(newRoute(), name + "@2027-03-28T01:00:00Z"),
            3,
            2,
            1,
            "no such day ",
            now.minusSeconds(5),
            now.plusSeconds(5),
            "until the desk is back ",
            true,
            "desk",
            now.minusSeconds(90),
            now);
    assertThat(store().schedule(name)).isEmpty();
    put(full);
    assertThat(store().schedule(name)).contains(full);
    StoredSchedule bare = schedule(newRoute(), null);
    put(bare);
    assertThat(store().schedule(bare.name())).contains(bare);
    assertThat(store().schedules()).contains(withPayload(full, null), withPayload(bare, null));
    assertThat(store().schedules()).isSortedAccordingTo((a, b) -> a.name().compareTo(b.name()));
    remove(name);
    assertThat(store().schedule(name)).isEmpty();
    assertThat(store().schedule(name + " ")).isEmpty();
  }

  @Test
  default void the_function_sees_the_schedule_the_clock_and_its_last_message() {
    String route = newRoute();
    MessageKey last = held(route, "last");
    StoredSchedule schedule = put(fired(schedule(newRoute(), null), last));
    Instant before = store().now();
    List<FoundSchedule> seen = new ArrayList<>();
    Function<FoundSchedule, ScheduleChange> look =
        found -> {
          seen.add(found);
          return ScheduleChange.none(found.schedule());
        };
    store().change(schedule.name(), look);
    put(fired(schedule, new MessageKey(route, "gone")));
    store().change(schedule.name(), look);
    store().change(newRoute(), look);
    assertThat(seen).extracting(FoundSchedule::last).containsExactly(MessageState.HELD, null, null);
    assertThat(seen.get(0).schedule()).isEqualTo(schedule);
    assertThat(seen.get(2).schedule()).isNull();
    assertThat(seen).extracting(FoundSchedule::now).allMatch(now -> !now.isBefore(before));
  }

  @Test
  default void rows_counts_and_the_next_instant_change_together() {
    String route = newRoute();
    Instant at = store().now().plusSeconds(5);
    StoredSchedule schedule = put(schedule(newRoute(), at));
    ScheduledMessage first = message(route, "first", at);
    ScheduledMessage second = message(route, "second", at);
    inserted(second);

    ScheduleChanged changed =
        only(fire(schedule.name(), found -> next(found, first, second)).changed());

    assertThat(changed.inserted()).containsExactly(InsertOutcome.INSERTED, InsertOutcome.DUPLICATE);
    assertThat(found(first.key()).state()).isEqualTo(MessageState.PENDING);
    assertThat(store().schedule(schedule.name()))
        .get()
        .returns(at.plusSeconds(3_600), StoredSchedule::nextAt)
        .returns(1L, StoredSchedule::fired);
    assertThat(fire(schedule.name(), found -> next(found)).changed()).as("not due").isEmpty();
    ScheduledMessage other = message(route, "first", at.plusSeconds(1));
    assertThat(store().change(schedule.name(), found -> next(found, other)).inserted())
        .containsExactly(InsertOutcome.CONFLICT);
  }

  @Test
  default void fires_what_is_due_earliest_first() {
    Instant now = store().now();
    StoredSchedule later = put(schedule(newRoute(), now.plusSeconds(4)));
    StoredSchedule earlier = put(schedule(newRoute(), now.plusSeconds(2)));
    StoredSchedule tooEarly = put(schedule(newRoute(), now.plusSeconds(60)));
    StoredSchedule ended = put(schedule(newRoute(), null));
    StoredSchedule paused = put(paused(schedule(newRoute(), now), now, null));
    StoredSchedule resumes = put(paused(schedule(newRoute(), now), now, now));
    StoredSchedule resumesSoon = put(paused(schedule(newRoute(), now), now, now.plusSeconds(8)));

    assertThat(names(store().fireDue(AHEAD, 2, this::next)))
        .containsExactly(resumes.name(), earlier.name());
    assertThat(names(store().fireDue(AHEAD, 1_000, this::next))).contains(later.name());
    for (StoredSchedule left : List.of(tooEarly, ended, paused, resumesSoon)) {
      assertThat(store().schedule(left.name())).contains(left);
    }
  }

  @Test
  default void one_that_fails_is_left_and_the_others_fire() {
    Instant now = store().now();
    List<StoredSchedule> all =
        IntStream.range(0, 4).mapToObj(i -> put(schedule(newRoute(), now.plusMillis(i)))).toList();
    ScheduledMessage unfit = message(newRoute(), "x".repeat(201), now);
    Fired fired =
        store()
            .fireDue(
                AHEAD,
                10,
                found -> {
                  int which = all.indexOf(found.schedule());
                  if (which == 0) {
                    throw new IllegalStateException("no such day");
                  }
                  return which == 2 ? next(found, unfit) : next(found);
                });
    assertThat(names(fired)).containsExactly(all.get(1).name(), all.get(3).name());
    assertThat(fired.failed()).containsOnlyKeys(all.get(0).name(), all.get(2).name());
    assertThat(fired.failed().get(all.get(0).name())).hasMessage("no such day");
    assertThat(fired.failed().get(all.get(2).name())).hasMessageContaining("allowed: 1 to 200");
    assertThat(store().schedule(all.get(2).name())).contains(all.get(2));
  }

  @Test
  default void two_runners_never_fire_the_same_occurrence() throws Exception {
    Instant now = store().now();
    List<String> names =
        IntStream.range(0, 40).mapToObj(i -> put(schedule(newRoute(), now)).name()).toList();
    ConcurrentMap<String, AtomicInteger> calls = new ConcurrentHashMap<>();
    Callable<List<String>> runner =
        () ->
            names(
                store()
                    .fireDue(
                        AHEAD,
                        100,
                        found -> {
                          String name = Objects.requireNonNull(found.schedule()).name();
                          calls.computeIfAbsent(name, n -> new AtomicInteger()).incrementAndGet();
                          return next(found);
                        }));
    ExecutorService runners = Executors.newFixedThreadPool(4);
    try {
      List<String> fired = new ArrayList<>();
      for (Future<List<String>> each :
          runners.invokeAll(List.of(runner, runner, runner, runner), 60, TimeUnit.SECONDS)) {
        fired.addAll(each.get());
      }
      assertThat(fired).containsExactlyInAnyOrderElementsOf(names);
    } finally {
      runners.shutdownNow();
    }
    assertThat(store().schedules()).allMatch(each -> each.fired() == 1);
  }

  @Test
  default void what_somebody_has_locked_is_left_out() throws Exception {
    Instant now = store().now();
    StoredSchedule locked = put(schedule(newRoute(), now));
    StoredSchedule free = put(schedule(newRoute(), now));
    CountDownLatch has = new CountDownLatch(1);
    CountDownLatch mayGo = new CountDownLatch(1);
    CompletableFuture<ScheduleChanged> holder =
        CompletableFuture.supplyAsync(
            () ->
                store()
                    .change(
                        locked.name(),
                        found -> {
                          has.countDown();
                          await(mayGo);
                          return ScheduleChange.none(found.schedule());
                        }));
    await(has);
    assertThat(names(store().fireDue(AHEAD, 10, this::next))).containsExactly(free.name());
    mayGo.countDown();
    holder.get(20, TimeUnit.SECONDS);
    assertThat(names(store().fireDue(AHEAD, 10, this::next))).containsExactly(locked.name());
  }

  @Test
  default void of_two_who_put_in_the_same_name_the_second_sees_the_first() throws Exception {
    String name = newRoute();
    CountDownLatch bothAsked = new CountDownLatch(2);
    AtomicInteger calls = new AtomicInteger();
    Function<FoundSchedule, ScheduleChange> add =
        found -> {
          calls.incrementAndGet();
          if (found.schedule() == null) {
            bothAsked.countDown();
            await(bothAsked);
            return ScheduleChange.none(schedule(name, null));
          }
          return next(found);
        };
    CompletableFuture<ScheduleChanged> other =
        CompletableFuture.supplyAsync(() -> store().change(name, add));
    store().change(name, add);
    other.get(20, TimeUnit.SECONDS);
    assertThat(calls).hasValue(3);
    assertThat(store().schedule(name)).get().returns(1L, StoredSchedule::fired);
  }

  @Test
  default void withdraws_what_nobody_has_touched() {
    String route = newRoute();
    Instant soon = store().now().minusSeconds(1);
    MessageKey held = held(route, "held");
    MessageKey leased = inserted(message(route, "leased", soon));
    claimOne(route, LOADER);
    MessageKey uncertain = inserted(message(route, "uncertain", soon));
    Claim sent = claimOne(route, LOADER);
    store().conclude(List.of(Conclusion.giveBack(sent).unknown()));
    MessageKey moved = inserted(message(route, "moved", soon));
    store().reschedule(moved, soon);
    MessageKey cancelled = inserted(message(route, "cancelled", soon));
    store().cancel(cancelled);
    MessageKey pending = inserted(message(route, "pending", soon));
    MessageKey edited = inserted(message(route, "edited", soon));
    MessageKey later = inserted(message(route, "later", soon));
    ScheduledMessage anew = message(route, "edited", soon.plusSeconds(60));
    String name = put(schedule(newRoute(), null)).name();

    List<MessageKey> untouched = List.of(pending, edited);
    List<MessageKey> touched =
        List.of(
            held,
            leased,
            uncertain,
            moved,
            cancelled,
            new MessageKey(route, "none"),
            new MessageKey(route, "blank "));
    List<List<MessageKey>> withdrawn = new ArrayList<>();
    for (MessageKey stays : touched) {
      store()
          .change(
              name,
              found -> List.of(stays, pending, edited),
              found -> {
                withdrawn.add(found.withdrawn());
                return ScheduleChange.none(found.schedule());
              });
    }
    assertThat(withdrawn).hasSize(touched.size()).containsOnly(List.of());
    ScheduleChanged changed =
        store()
            .change(
                name,
                found -> List.of(pending, edited, held, later),
                found -> {
                  withdrawn.add(found.withdrawn());
                  return new ScheduleChange(found.schedule(), List.of(anew));
                });

    assertThat(withdrawn.get(touched.size())).isEqualTo(untouched);
    assertThat(changed.inserted()).containsExactly(InsertOutcome.INSERTED);
    assertThat(store().find(pending)).isEmpty();
    assertThat(found(edited).deliverAt()).isEqualTo(anew.deliverAt());
    for (MessageKey left : List.of(held, leased, uncertain, moved, cancelled, later)) {
      assertThat(store().find(left)).isPresent();
    }
  }

  @Test
  default void tells_how_much_there_is_and_writes_a_payload_where_there_is_one() {
    ScheduleTotals before = store().scheduleTotals();
    StoredSchedule schedule = schedule(newRoute(), null);
    put(withPayload(schedule, null));
    assertThat(store().schedule(schedule.name())).contains(withPayload(schedule, "{}"));
    StoredSchedule large = put(withPayload(schedule, "x".repeat(1_000_000)));
    put(withPayload(large, null));

    assertThat(store().schedule(schedule.name())).contains(large);
    ScheduleTotals after = store().scheduleTotals();
    assertThat(after.count()).isEqualTo(before.count() + 1);
    assertThat(after.bytes()).isEqualTo(before.bytes() + 1_000_000);
    assertThatThrownBy(() -> put(withPayload(schedule, "x".repeat(1_000_001))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("payload of schedule");
  }

  @Test
  default void nothing_is_half_done() {
    String route = newRoute();
    MessageKey pending = inserted(message(route, "pending", store().now()));
    StoredSchedule schedule = put(schedule(newRoute(), store().now()));
    ScheduledMessage unfit = message(route, "", store().now());
    assertThatThrownBy(
            () ->
                store()
                    .change(
                        schedule.name(),
                        found -> List.of(pending),
                        found -> new ScheduleChange(null, List.of(unfit))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("id");
    assertThat(store().find(pending)).isPresent();
    assertThat(store().schedule(schedule.name())).contains(schedule);
    assertThatThrownBy(
            () ->
                store()
                    .change(
                        schedule.name(), found -> ScheduleChange.none(schedule("another", null))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("another");
    assertThatThrownBy(() -> put(schedule("x".repeat(101), null)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("schedule name");
    assertThatThrownBy(() -> store().fireDue(AHEAD, 1_001, this::next))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1000");
  }

  @Test
  default void lists_messages_by_the_beginning_of_their_ids() {
    String route = newRoute();
    handlings().settle(begun(held(route, "a%b@2027-01-01"), "q"));
    Instant due = store().now();
    inserted(message(route, "a%b@2027-01-03", due));
    inserted(message(route, "a%b@2027-01-02", due));
    inserted(message(route, "aXb@2027-01-04", due));
    inserted(message(route, "A%b@2027-01-05", due));
    inserted(message(route, "a%c", due));
    inserted(message(newRoute(), "a%b@2027-01-06", due));

    assertThat(store().withIdsFrom(route, "a%b@", 10))
        .extracting(each -> each.key().id())
        .containsExactly("a%b@2027-01-03", "a%b@2027-01-02", "a%b@2027-01-01");
    assertThat(store().withIdsFrom(route, "a%b@", 2)).hasSize(2);
    assertThat(store().withIdsFrom(route, "a%b@", 10))
        .extracting(MessageMark::state)
        .containsExactly(MessageState.PENDING, MessageState.PENDING, MessageState.SETTLED);
    assertThat(store().withIdsFrom(route, "a%b@\0", 10)).isEmpty();
  }

  private StoredSchedule put(StoredSchedule schedule) {
    store().change(schedule.name(), found -> ScheduleChange.none(schedule));
    return schedule;
  }

  private void remove(String name) {
    store().change(name, found -> ScheduleChange.none(null));
  }

  private Fired fire(String name, Function<FoundSchedule, ScheduleChange> change) {
    return store()
        .fireDue(
            AHEAD,
            100,
            found -> {
              StoredSchedule schedule = Objects.requireNonNull(found.schedule());
              return schedule.name().equals(name)
                  ? change.apply(found)
                  : ScheduleChange.none(schedule);
            });
  }

  /** An hour later, one fired more. */
  private ScheduleChange next(FoundSchedule found, ScheduledMessage... insert) {
    StoredSchedule schedule = Objects.requireNonNull(found.schedule());
    Instant next = Optional.ofNullable(schedule.nextAt()).orElse(found.now());
    return new ScheduleChange(
        with(schedule, next.plusSeconds(3_600), schedule.fired() + 1), List.of(insert));
  }

  private static StoredSchedule with(StoredSchedule of, Instant next, long fired) {
    return new StoredSchedule(
        of.name(),
        of.owner(),
        of.version(),
        of.definition(),
        of.payload(),
        next,
        of.countsFrom(),
        of.nextAt(),
        of.lastKey(),
        fired,
        of.missed(),
        of.skipped(),
        of.problem(),
        null,
        null,
        of.note(),
        of.orphaned(),
        of.changedBy(),
        of.createdAt(),
        of.updatedAt());
  }

  private static StoredSchedule withPayload(StoredSchedule of, @Nullable String payload) {
    return new StoredSchedule(
        of.name(),
        of.owner(),
        of.version(),
        of.definition(),
        payload,
        of.nextAt(),
        of.countsFrom(),
        of.lastAt(),
        of.lastKey(),
        of.fired(),
        of.missed(),
        of.skipped(),
        of.problem(),
        of.pausedAt(),
        of.pausedUntil(),
        of.note(),
        of.orphaned(),
        of.changedBy(),
        of.createdAt(),
        of.updatedAt());
  }

  private StoredSchedule schedule(String name, @Nullable Instant nextAt) {
    return newSchedule(name, store().now(), nextAt);
  }

  /** One that was put in at that instant, and has not fired. */
  static StoredSchedule newSchedule(String name, Instant now, @Nullable Instant nextAt) {
    return new StoredSchedule(
        name, null, 1, "{}", "{}", nextAt, null, null, null, 0, 0, 0, null, null, null, null, false,
        null, now, now);
  }

  private static StoredSchedule fired(StoredSchedule of, MessageKey last) {
    return new StoredSchedule(
        of.name(),
        of.owner(),
        of.version(),
        of.definition(),
        of.payload(),
        of.nextAt(),
        of.countsFrom(),
        of.createdAt(),
        last,
        1,
        0,
        0,
        null,
        null,
        null,
        null,
        false,
        null,
        of.createdAt(),
        of.updatedAt());
  }

  private static StoredSchedule paused(StoredSchedule of, Instant at, @Nullable Instant until) {
    return new StoredSchedule(
        of.name(),
        of.owner(),
        of.version(),
        of.definition(),
        of.payload(),
        of.nextAt(),
        of.countsFrom(),
        null,
        null,
        0,
        0,
        0,
        null,
        at,
        until,
        "paused",
        false,
        null,
        of.createdAt(),
        of.updatedAt());
  }

  private static List<String> names(Fired fired) {
    return fired.changed().stream()
        .map(each -> Objects.requireNonNull(each.change().schedule()).name())
        .toList();
  }

  private static <T> T only(List<T> list) {
    assertThat(list).hasSize(1);
    return list.get(0);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
