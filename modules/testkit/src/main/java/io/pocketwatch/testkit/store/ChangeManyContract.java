// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import io.pocketwatch.store.SchedulingStore.ManyChanged;
import io.pocketwatch.store.SchedulingStore.MessageChange;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Cancel, reschedule and release of all messages of a filter. */
public interface ChangeManyContract extends StoreContract {
  @Test
  default void each_of_a_filter_is_answered_as_if_it_were_alone() {
    String route = newRoute();
    MessageKey handedOff = inserted(message(route, "sent", before(9), Tracking.HANDOFF));
    assertThat(hold(claimOne(route, LOADER))).isTrue();
    MessageKey held = held(route, "held");
    MessageKey handled = held(route, "handled");
    begun(handled, "q");
    MessageKey settled = held(route, "settled");
    handlings().settle(begun(settled, "q"));
    MessageKey pending = inserted(message(route, "pending", store().now().plusSeconds(60)));
    MessageKey later = inserted(message(route, "later", store().now().plusSeconds(600)));
    MessageKey elsewhere = due(newRoute(), "pending");
    MessageQuery filter = underWay(route).due(null, store().now().plusSeconds(300)).limit(2);

    ManyChanged all = changeAll(filter, MessageChange.cancel());

    assertThat(all.counts())
        .isEqualTo(
            Map.of(
                ChangeOutcome.DONE,
                2L,
                ChangeOutcome.TOO_LATE,
                1L,
                ChangeOutcome.BEING_HANDLED,
                1L));
    assertThat(all.routes()).containsExactly(route);
    assertThat(all.next()).isNull();
    for (MessageKey cancelled : List.of(held, pending)) {
      assertThat(state(cancelled)).isEqualTo(MessageState.CANCELLED);
      assertThat(Objects.requireNonNull(found(cancelled).lastChange()).by()).isEqualTo("desk");
    }
    for (MessageKey left : List.of(handedOff, handled, settled, later, elsewhere)) {
      assertThat(found(left).lastChange()).isNull();
    }
  }

  @Test
  default void what_is_moved_is_moved_once() {
    String route = newRoute();
    Instant from = store().now().plusSeconds(60);
    insert(route, 25, from);
    Duration step = Duration.ofMillis(7);

    ManyChanged all = changeAll(underWay(route).limit(10), MessageChange.rescheduleBy(step));

    assertThat(all.counts()).isEqualTo(Map.of(ChangeOutcome.DONE, 25L));
    assertThat(store().list(underWay(route)))
        .extracting(StoredMessage::deliverAt)
        .containsExactlyElementsOf(
            IntStream.range(0, 25).mapToObj(i -> from.plusMillis(i).plus(step)).toList());
    assertThat(store().list(underWay(route))).allMatch(each -> each.generation() == 2);
    awaitTheNextMillisecond();
    assertThat(changeAll(underWay(route).limit(10), MessageChange.rescheduleTo(from)).total())
        .isEqualTo(25);
    assertThat(store().list(underWay(route))).allMatch(each -> each.deliverAt().equals(from));
    awaitTheNextMillisecond();
    changeAll(underWay(route), MessageChange.rescheduleBy(Duration.ofDays(36_525).negated()));
    assertThat(store().list(underWay(route)))
        .allMatch(each -> each.deliverAt().equals(Instant.EPOCH));
  }

  @Test
  default void what_would_go_too_far_stays_and_is_too_late() {
    String route = newRoute();
    insert(route, 4, store().now());
    inserted(message(route, "just", DelayLimits.LATEST.minusSeconds(6)));
    MessageKey never = inserted(message(route, "never", DelayLimits.LATEST.minusSeconds(5)));
    ManyChanged all =
        changeAll(underWay(route).limit(2), MessageChange.rescheduleBy(Duration.ofSeconds(6)));
    assertThat(all.counts()).isEqualTo(Map.of(ChangeOutcome.DONE, 5L, ChangeOutcome.TOO_LATE, 1L));
    assertThat(all.next()).isNull();
    assertThat(found(never).generation()).isEqualTo(1);
    assertThat(found(never).deliverAt()).isEqualTo(DelayLimits.LATEST.minusSeconds(5));
    assertThatThrownBy(() -> MessageChange.rescheduleBy(Duration.ofDays(36_526)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("36525 days");
    assertThatThrownBy(() -> MessageChange.rescheduleTo(DelayLimits.LATEST.plusMillis(1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  default void releases_all_of_a_reason() {
    String route = newRoute();
    for (String reason : List.of("no queue", "too large", "no queue")) {
      due(route, "m" + store().count(MessageQuery.all().route(route)));
      park(claimOne(route, LOADER), reason);
    }
    MessageQuery parked = MessageQuery.all().route(route).states(MessageState.PARKED);

    assertThat(changeAll(parked.reason("no queue"), MessageChange.retry()).counts())
        .isEqualTo(Map.of(ChangeOutcome.DONE, 2L));
    assertThat(store().list(parked)).extracting(StoredMessage::reason).containsExactly("too large");
    assertThat(claim(route, OTHER)).hasSize(2);
  }

  @Test
  default void whoever_says_stop_can_go_on_later() {
    String route = newRoute();
    insert(route, 30, store().now());
    MessageQuery filter = underWay(route).limit(10);
    ManyChanged part = store().changeAll(filter, MessageChange.cancel(), null, soFar -> false);
    assertThat(part.count(ChangeOutcome.DONE)).isEqualTo(10);
    assertThat(part.next()).isNotNull();
    MessageQuery rest = filter.after(Objects.requireNonNull(part.next()));
    assertThat(changeAll(rest, MessageChange.cancel()).total()).isEqualTo(20);
  }

  @Test
  default void several_share_the_work_and_count_each_once() throws Exception {
    String route = newRoute();
    int messages = 600;
    insert(route, messages, store().now());
    Callable<ManyChanged> one = () -> changeAll(underWay(route).limit(50), MessageChange.cancel());
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      long done = 0;
      long others = 0;
      for (Future<ManyChanged> each :
          threads.invokeAll(List.of(one, one, one), 120, TimeUnit.SECONDS)) {
        done += each.get().count(ChangeOutcome.DONE);
        others += each.get().count(ChangeOutcome.TOO_LATE);
      }
      assertThat(done).isEqualTo(messages);
      assertThat(others).isZero();
    } finally {
      threads.shutdownNow();
    }
    assertThat(store().count(MessageQuery.all().route(route).states(MessageState.CANCELLED)))
        .isEqualTo(messages);
  }

  private ManyChanged changeAll(MessageQuery filter, MessageChange change) {
    return store().changeAll(filter, change, "desk", soFar -> true);
  }

  private MessageQuery underWay(String route) {
    return MessageQuery.all().route(route).states(MessageState.PENDING, MessageState.HELD);
  }

  /** What was changed in the one in which a move begins is left out. */
  private void awaitTheNextMillisecond() {
    Instant now = store().now();
    Awaitility.await().until(() -> store().now().isAfter(now));
  }

  private Instant before(int seconds) {
    return store().now().minusSeconds(seconds);
  }

  /** A millisecond apart. */
  private void insert(String route, int count, Instant first) {
    List<ScheduledMessage> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(message(route, String.format(Locale.ROOT, "m%04d", i), first.plusMillis(i)));
    }
    assertThat(store().insert(all, null)).containsOnly(InsertOutcome.INSERTED);
  }
}
