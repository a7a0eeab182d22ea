// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.pocketwatch.BrokerIdentity;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.Activity;
import io.pocketwatch.store.OverviewStore.ChangeNote;
import io.pocketwatch.store.OverviewStore.DueCount;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.OverviewStore.OverdueCount;
import io.pocketwatch.store.OverviewStore.OverdueCount.Part;
import io.pocketwatch.store.OverviewStore.ReasonCount;
import io.pocketwatch.store.OverviewStore.Rollup;
import io.pocketwatch.store.OverviewStore.Rollups;
import io.pocketwatch.store.Phase;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Counting, and lists without payloads. */
public interface OverviewContract extends StoreContract {
  @Test
  default void counts_per_route_and_state() {
    String route = newRoute();
    due(route, "a");
    due(route, "b");
    held(newRoute(), "c");
    store().cancel(due(route, "d"));

    assertThat(store().countsByState().get(route))
        .containsOnly(entry(MessageState.PENDING, 2L), entry(MessageState.CANCELLED, 1L));
  }

  @Test
  default void summaries_tell_sizes_in_place_of_body_and_headers() {
    String route = newRoute();
    due(route, "a");
    MessageKey key = new MessageKey(route, "a");

    assertThat(store().summaries(MessageQuery.all().route(route)))
        .singleElement()
        .satisfies(
            each -> {
              assertThat(each.stored().key()).isEqualTo(key);
              assertThat(each.stored().message().body()).isEmpty();
              assertThat(each.stored().message().properties()).isEmpty();
              assertThat(each.bodyBytes()).isEqualTo("body of a".length());
              assertThat(each.propertiesBytes())
                  .isEqualTo(found(key).message().properties().length);
            });
    assertThat(store().summary(key).orElseThrow())
        .usingRecursiveComparison()
        .isEqualTo(store().summaries(MessageQuery.all().route(route)).get(0));
    assertThat(store().summary(new MessageKey(route, "b"))).isEmpty();
  }

  /** Several states and routes, which are asked for one by one. */
  @Test
  default void pages_over_states_and_routes_without_gaps_or_repeats() {
    List<String> routes = List.of(newRoute(), newRoute(), newRoute());
    Instant at = store().now().plusSeconds(3_600_000);
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      MessageKey key = inserted(message(routes.get(i % 3), "m" + i, at.plusMillis(i / 9)));
      if (i % 5 == 0) {
        store().cancel(key);
      } else {
        expected.add(key.toString());
      }
      if (i % 7 == 0) {
        expected.remove(key.toString());
        store().reschedule(key, at.minusSeconds(60));
      }
    }
    MessageQuery query =
        MessageQuery.all()
            .states(MessageState.PENDING, MessageState.HELD)
            .due(at, at.plusSeconds(60))
            .limit(4);
    List<String> paged = new ArrayList<>();
    List<MessageSummary> page = store().summaries(query);
    while (!page.isEmpty()) {
      page.forEach(each -> paged.add(each.stored().key().toString()));
      page = store().summaries(query.after(page.get(page.size() - 1).stored()));
    }
    assertThat(paged).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(expected);
    assertThat(store().list(query.limit(100)))
        .extracting(each -> each.key().toString())
        .isEqualTo(paged);
  }

  /** Late in the store, in a queue, at work, or until a next try; and what is not, or not ours. */
  @Test
  default void tells_what_is_overdue_and_who_has_it() {
    String route = newRoute();
    Instant due = store().now().minusSeconds(60);
    sentToOne(message(route, "in-queue", due.minusSeconds(1)));
    begun(sentToOne(message(route, "handled", due.minusSeconds(2))), "worker");
    MessageKey retried = sentToOne(message(route, "retried", due.minusSeconds(3)));
    handlings().postpone(begun(retried, "q"), store().now().plusSeconds(300), "no answer");
    sentToOne(message(route, "broker", due, Tracking.HANDOFF));
    inserted(message(route, "unsent", due));
    sentLater(message(route, "no-target", due.plusSeconds(1)));
    inserted(message(route, "just-due", store().now().minusSeconds(1)));
    inserted(message(route, "later", store().now().plusSeconds(600)));
    store().cancel(inserted(message(route, "cancelled", due)));

    assertThat(store().overdueCounts())
        .filteredOn(each -> each.route().equals(route))
        .containsExactly(
            overdue(
                route,
                new Part(2, due),
                new Part(1, due.minusSeconds(1)),
                new Part(1, due.minusSeconds(2)),
                new Part(1, due.minusSeconds(3))));
    MessageQuery overdue = MessageQuery.all().route(route).onlyOverdue();
    List<MessageSummary> found = store().summaries(overdue);
    assertThat(found)
        .extracting(each -> each.stored().key().id())
        .containsExactly("retried", "handled", "in-queue", "unsent", "no-target");
    assertThat(found).allMatch(each -> each.stored().overdue(store().now()));
    assertThat(found)
        .extracting(each -> Phase.of(each, store().now()))
        .containsExactly(Phase.RETRYING, Phase.BEING_HANDLED, Phase.SENT, Phase.DUE, Phase.DUE);
    assertThat(found)
        .extracting(each -> each.handler() == null ? null : each.handler().consumer())
        .containsExactly(null, "worker", null, null, null);
    assertThat(store().count(overdue)).isEqualTo(5);
    MessageQuery ofAllRoutes = MessageQuery.all().due(due.minusSeconds(3), due.minusSeconds(2));
    assertThat(store().summaries(ofAllRoutes.onlyOverdue().limit(1_000)))
        .extracting(each -> each.stored().key())
        .contains(retried);
    assertThat(store().count(overdue.states(MessageState.PENDING))).isEqualTo(4);
    assertThat(store().count(overdue.states(MessageState.PARKED))).isZero();
  }

  /** Else whoever puts messages off by more than the alert's two minutes would be woken by it. */
  @Test
  default void counts_what_was_put_off_from_its_next_try() {
    String route = newRoute();
    Instant due = store().now().minusSeconds(600);
    MessageKey key = sentToOne(message(route, "a", due));
    handlings().postpone(begun(key, "q"), store().now(), "no answer");
    Claim again = claimOne(route, LOADER);
    assertThat(again.message().nextQueue()).isNotNull();
    assertThat(hold(again)).isTrue();
    begun(key, "q");

    assertThat(store().overdueCounts())
        .filteredOn(each -> each.route().equals(route))
        .containsExactly(overdue(route, Part.NONE, Part.NONE, Part.NONE, new Part(1, due)));
  }

  private static OverdueCount overdue(
      String route, Part due, Part sent, Part beingHandled, Part retrying) {
    return new OverdueCount(
        route,
        Map.of(
            Phase.DUE, due,
            Phase.SENT, sent,
            Phase.BEING_HANDLED, beingHandled,
            Phase.RETRYING, retrying));
  }

  private void sentLater(ScheduledMessage message) {
    inserted(message);
    Claim claim =
        claim(message.key().route(), LOADER).stream()
            .filter(each -> each.key().equals(message.key()))
            .findFirst()
            .orElseThrow();
    assertThat(postpone(claim, Duration.ofMinutes(5), "no such queue")).isTrue();
  }

  private MessageKey sentToOne(ScheduledMessage message) {
    MessageKey key = inserted(message);
    assertThat(hold(claimOne(key.route(), LOADER))).isTrue();
    return key;
  }

  @Test
  default void counts_what_comes_due_per_step() {
    String route = newRoute();
    Instant from = Instant.ofEpochSecond(store().now().getEpochSecond()).plusSeconds(7_200_000);
    inserted(message(route, "before", from.minusMillis(1)));
    inserted(message(route, "a", from));
    inserted(message(route, "b", from.plusMillis(59_999)));
    inserted(message(route, "c", from.plusSeconds(120)));
    store().cancel(inserted(message(route, "cancelled", from)));
    inserted(message(route, "after", from.plusSeconds(600)));

    assertThat(store().dueCounts(from, from.plusSeconds(600), Duration.ofMinutes(1)))
        .filteredOn(each -> each.route().equals(route))
        .containsExactly(new DueCount(route, 0, 2), new DueCount(route, 2, 1));
    assertThatThrownBy(() -> store().dueCounts(from, from.plusSeconds(600), Duration.ofMillis(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("10000 steps");
  }

  @Test
  default void groups_what_was_given_up_by_reason() {
    String route = newRoute();
    for (String id : List.of("a", "b", "c")) {
      due(route, id);
    }
    claim(route, LOADER)
        .forEach(each -> park(each, each.message().key().id().equals("c") ? "other" : "no queue"));

    List<ReasonCount> reasons =
        store().reasons(1_000).stream().filter(each -> each.route().equals(route)).toList();
    assertThat(reasons).extracting(ReasonCount::reason).containsExactly("no queue", "other");
    assertThat(reasons).extracting(ReasonCount::count).containsExactly(2L, 1L);
    assertThat(reasons.get(0).state()).isEqualTo(MessageState.PARKED);
  }

  @Test
  default void tells_what_happened() {
    String route = newRoute();
    Instant from = store().now();
    inserted(message(route, "later", from.plusSeconds(9_000_000)));
    MessageKey settled = held(route, "settled");
    handlings().settle(begun(settled, "consumer"));

    Activity activity = store().activity(from, store().now().plusMillis(1));
    assertThat(activity.scheduled()).isEqualTo(2);
    assertThat(activity.settled()).isOne();
    assertThat(activity.latenessMillis().firstKey()).isBetween(3_000L, 60_000L);
    Instant due = found(settled).deliverAt();
    assertThat(store().activity(due, due.plusMillis(1)).due()).isPositive();
  }

  /** Up to the end of this minute: what happens later in it is not counted. */
  @Test
  default void counts_what_happened_by_route() {
    String route = newRoute();
    Instant from = Instant.ofEpochMilli(store().now().toEpochMilli() / 900_000 * 900_000);
    MessageKey settled = held(route, "settled");
    handlings().settle(begun(settled, "consumer"));
    handlings().settle(begun(held(route, "another"), "consumer"));
    handlings().fail(begun(held(route, "failed"), "consumer"), "no stock");
    store().cancel(due(route, "cancelled"));
    due(route, "pending");
    inserted(message(route, "untracked", store().now(), Tracking.HANDOFF));

    Instant minute = store().now().plusSeconds(60);
    while (store().rollUp(minute).isBefore(minute.minusSeconds(60))) {
      // the next minute
    }
    assertThat(store().rollUp(minute)).as("none is left").isEqualTo(store().rollUp(minute));

    Instant until = from.plusSeconds(3_600);
    Rollups counted = store().rollups(from, until, Duration.ofMinutes(30), Set.of(route));
    assertThat(counted.end()).isAfter(minute.minusSeconds(60));
    Rollup all = counted.steps().stream().reduce(Rollup::plus).orElseThrow();
    assertThat(all.scheduled()).isEqualTo(5);
    assertThat(all.settled()).isEqualTo(2);
    assertThat(all.failed()).isOne();
    assertThat(all.cancelled()).isOne();
    assertThat(all.lateness().counts().stream().mapToLong(Long::longValue).sum()).isEqualTo(2);
    assertThat(all.lateness().percentile(1).orElseThrow().atMost())
        .isBetween(Duration.ofSeconds(2), Duration.ofMinutes(1));
    assertThat(store().rollups(from, until, Duration.ofMinutes(30), Set.of("none")).steps())
        .isEmpty();
    assertThat(store().rollups(from, until, Duration.ofHours(1), Set.of()).steps())
        .allSatisfy(step -> assertThat(step.scheduled()).isGreaterThanOrEqualTo(5));
    assertThatThrownBy(() -> store().rollups(from, until, Duration.ofMinutes(1), Set.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT15M");
  }

  @Test
  default void changes_by_hand_are_noted_the_latest_first() {
    String by = newRoute();
    for (int i = 0; i < 3; i++) {
      store().note(new ChangeNote(by, "cancel", i == 0 ? null : by, "x".repeat(600), i, 1));
    }
    List<ChangeNote> notes =
        store().notes(null, 100).stream().filter(each -> each.by().equals(by)).toList();
    assertThat(notes).extracting(ChangeNote::done).containsExactly(2L, 1L, 0L);
    assertThat(notes.get(2).route()).isNull();
    assertThat(notes.get(0).subject()).hasSize(500).endsWith("…");
    assertThat(notes.get(0).at()).isBetween(store().now().minusSeconds(60), store().now());
    assertThat(store().notes(notes.get(1).number(), 1)).allMatch(each -> each.done() == 0);
  }

  @Test
  default void the_first_broker_is_noted_until_another_adopts_the_store() {
    BrokerIdentity first = store().noteBroker(new BrokerIdentity("rabbit@a", "/"));
    BrokerIdentity other = new BrokerIdentity("rabbit@b", "tests");
    assertThat(store().noteBroker(other)).isEqualTo(first);

    store().adoptBroker(other);
    assertThat(store().broker()).contains(other);
    assertThat(store().noteBroker(first)).isEqualTo(other);
    store().adoptBroker(first);
  }
}
