// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Putting messages in. */
public interface ScheduleContract extends StoreContract {
  @Test
  default void keeps_everything_of_a_message() {
    Instant deliverAt = store().now().plusSeconds(60);
    ScheduledMessage message = message(newRoute(), "Größe 1", deliverAt);
    inserted(message);

    StoredMessage found = found(message.key());
    assertThat(found.message()).usingRecursiveComparison().isEqualTo(message);
    assertThat(found.state()).isEqualTo(MessageState.PENDING);
    assertThat(found.generation()).isEqualTo(1);
    assertThat(found.attempts()).isZero();
    assertThat(found.heldUntil()).isNull();
    assertThat(found.nextAt()).isEqualTo(deliverAt);
    assertThat(found.nextQueue()).isNull();
    assertThat(found.reason()).isNull();
    assertThat(found.createdAt()).isBetween(deliverAt.minusSeconds(61), store().now());
  }

  @Test
  default void keeps_empty_and_large_bodies() {
    Instant at = store().now();
    ScheduledMessage like = message(newRoute(), "large", at);
    byte[] large = new byte[3 << 20];
    java.util.Arrays.fill(large, (byte) 0xfe);
    for (byte[] body : List.of(new byte[0], large)) {
      MessageKey key = new MessageKey(like.key().route(), "bytes-" + body.length);
      inserted(new ScheduledMessage(key, null, "", "q", new byte[0], body, at, Tracking.NONE));
      assertThat(found(key).message().body()).isEqualTo(body);
      assertThat(found(key).message().businessKey()).isNull();
    }
  }

  @Test
  default void says_per_row_what_it_found() {
    String route = newRoute();
    Instant at = store().now().plusSeconds(5);
    ScheduledMessage first = message(route, "a", at);
    inserted(first);

    assertThat(
            store()
                .insert(
                    List.of(
                        message(route, "z", at),
                        message(route, "a", at),
                        message(route, "a", at.plusMillis(1)),
                        message(route, "b", at),
                        message(route, "b", at),
                        message(route, "b", at.plusSeconds(1))),
                    LOADER))
        .containsExactly(
            InsertOutcome.INSERTED,
            InsertOutcome.DUPLICATE,
            InsertOutcome.CONFLICT,
            InsertOutcome.INSERTED,
            InsertOutcome.DUPLICATE,
            InsertOutcome.CONFLICT);
    assertThat(found(first.key()).deliverAt()).isEqualTo(at);
    assertThat(found(new MessageKey(route, "b")).deliverAt()).isEqualTo(at);
  }

  @Test
  default void another_business_key_is_another_message() {
    ScheduledMessage one = message(newRoute(), "a", store().now());
    ScheduledMessage other =
        new ScheduledMessage(
            one.key(),
            "other",
            one.exchange(),
            one.routingKey(),
            one.properties(),
            one.body(),
            one.deliverAt(),
            one.tracking());
    assertThat(store().insert(List.of(one, other, one), null))
        .containsExactly(InsertOutcome.INSERTED, InsertOutcome.CONFLICT, InsertOutcome.DUPLICATE);
    assertThat(store().insert(List.of(other), null)).containsExactly(InsertOutcome.CONFLICT);
  }

  @Test
  default void a_resend_of_a_rescheduled_message_is_a_duplicate() {
    ScheduledMessage message = message(newRoute(), "a", store().now().plusSeconds(5));
    inserted(message);
    store().reschedule(message.key(), message.deliverAt().plusSeconds(5));
    assertThat(store().insert(List.of(message), null)).containsExactly(InsertOutcome.DUPLICATE);
  }

  @Test
  default void of_two_writers_of_one_id_one_inserts() throws Exception {
    String route = newRoute();
    Instant at = store().now().plusSeconds(5);
    CyclicBarrier together = new CyclicBarrier(2);
    for (int round = 0; round < 20; round++) {
      int of = round;
      List<ScheduledMessage> there =
          IntStream.range(0, 20).mapToObj(i -> message(route, of + "-" + i, at)).toList();
      List<ScheduledMessage> back =
          IntStream.range(0, 20).mapToObj(i -> there.get(19 - i)).toList();
      var one = CompletableFuture.supplyAsync(() -> insertTogether(together, there));
      var two = CompletableFuture.supplyAsync(() -> insertTogether(together, back));
      List<InsertOutcome> first = one.get(30, TimeUnit.SECONDS);
      List<InsertOutcome> second = two.get(30, TimeUnit.SECONDS);
      for (int i = 0; i < 20; i++) {
        assertThat(List.of(first.get(i), second.get(19 - i)))
            .containsExactlyInAnyOrder(InsertOutcome.INSERTED, InsertOutcome.DUPLICATE);
      }
    }
  }

  private List<InsertOutcome> insertTogether(CyclicBarrier together, List<ScheduledMessage> batch) {
    try {
      together.await(30, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    return store().insert(batch, null);
  }

  @Test
  default void takes_ten_thousand_at_once_and_no_more() {
    String route = newRoute();
    Instant at = store().now();
    List<ScheduledMessage> batch =
        IntStream.range(0, 10_000).mapToObj(i -> message(route, "m" + i, at)).toList();
    assertThat(store().insert(batch, null)).hasSize(10_000).containsOnly(InsertOutcome.INSERTED);
    List<ScheduledMessage> more = new java.util.ArrayList<>(batch);
    more.add(message(route, "one more", at));
    assertThatThrownBy(() -> store().insert(more, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("10000");
    assertThat(store().insert(List.of(), null)).isEmpty();
  }
}
