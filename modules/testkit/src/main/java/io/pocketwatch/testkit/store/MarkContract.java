// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The broker has it. */
public interface MarkContract extends StoreContract {
  @Test
  default void a_confirmed_row_is_held() {
    String route = newRoute();
    MessageKey key = due(route, "a");
    Claim claim = claimOne(route, LOADER);
    Instant until = claim.message().deliverAt().plusSeconds(5);
    assertThat(sent(claim, until)).isTrue();
    StoredMessage held = found(key);
    assertThat(held.state()).isEqualTo(MessageState.HELD);
    assertThat(held.heldUntil()).isEqualTo(until);
    assertThat(claim(route, OTHER)).isEmpty();
  }

  @Test
  default void marks_say_per_row_whether_they_applied() {
    String route = newRoute();
    due(route, "a");
    due(route, "b");
    due(route, "c");
    List<Claim> claims = claim(route, LOADER);
    store().cancel(claims.get(1).key());
    Instant until = store().now();
    List<Conclusion> ends =
        List.of(
            Conclusion.sent(claims.get(2), until),
            Conclusion.sent(claims.get(1), until),
            Conclusion.sent(claims.get(0), until));
    assertThat(store().conclude(ends))
        .containsExactly(Ended.APPLIED, Ended.OVERTAKEN, Ended.APPLIED);
    assertThat(store().conclude(ends)).containsOnly(Ended.OVERTAKEN);
    assertThat(store().conclude(List.of())).isEmpty();
    assertThat(state(claims.get(1).key())).isEqualTo(MessageState.CANCELLED);
  }

  @Test
  default void deleted_rows_are_gone() {
    String route = newRoute();
    MessageKey key = due(route, "a");
    Claim claim = claimOne(route, LOADER);
    Claim stale = new Claim(claim.message(), claim.owner(), claim.fence() - 1, false);
    assertThat(store().conclude(List.of(Conclusion.delete(stale), Conclusion.delete(claim))))
        .containsExactly(Ended.OVERTAKEN, Ended.APPLIED);
    assertThat(store().find(key)).isEmpty();
  }

  @Test
  default void claims_that_end_in_every_way_may_share_a_batch() {
    String route = newRoute();
    for (String id : List.of("sent", "deleted", "back", "later", "parked", "unknown")) {
      due(route, id);
    }
    Map<String, Claim> claims = new HashMap<>();
    claim(route, LOADER).forEach(claim -> claims.put(claim.key().id(), claim));
    assertThat(
            store()
                .conclude(
                    List.of(
                        Conclusion.sent(Objects.requireNonNull(claims.get("sent")), store().now()),
                        Conclusion.delete(Objects.requireNonNull(claims.get("deleted"))),
                        Conclusion.giveBack(Objects.requireNonNull(claims.get("back"))),
                        Conclusion.postpone(
                            Objects.requireNonNull(claims.get("later")), LONG, "not now"),
                        Conclusion.park(Objects.requireNonNull(claims.get("parked")), "never"),
                        Conclusion.giveBack(Objects.requireNonNull(claims.get("unknown")))
                            .unknown())))
        .containsOnly(Ended.APPLIED);
    assertThat(state(new MessageKey(route, "sent"))).isEqualTo(MessageState.HELD);
    assertThat(store().find(new MessageKey(route, "deleted"))).isEmpty();
    assertThat(state(new MessageKey(route, "parked"))).isEqualTo(MessageState.PARKED);
    assertThat(claim(route, OTHER))
        .extracting(claim -> claim.key().id())
        .containsExactlyInAnyOrder("back", "unknown");
  }

  @Test
  default void the_publisher_marks_what_it_inserted_with_a_lease() {
    String route = newRoute();
    Instant at = store().now();
    store().insert(List.of(message(route, "a", at)), LOADER);
    StoredMessage row = found(new MessageKey(route, "a"));
    assertThat(hold(new Claim(row, LOADER.owner(), 1, false))).isTrue();
    assertThat(state(row.key())).isEqualTo(MessageState.HELD);
  }
}
