// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.store.Claim;
import io.pocketwatch.store.LoadingStore.HeldMark;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The broker has it. */
public interface MarkContract extends StoreContract {
  @Test
  default void aConfirmedRowIsHeld() {
    String route = newRoute();
    MessageKey key = due(route, "a");
    Claim claim = claimOne(route, LOADER);
    Instant until = claim.message().deliverAt().plusSeconds(5);
    assertThat(store().markHeld(List.of(new HeldMark(claim, until, "epoch-1"))))
        .containsExactly(true);
    StoredMessage held = found(key);
    assertThat(held.state()).isEqualTo(MessageState.HELD);
    assertThat(held.heldUntil()).isEqualTo(until);
    assertThat(held.epoch()).isEqualTo("epoch-1");
    assertThat(claim(route, OTHER)).isEmpty();
  }

  @Test
  default void marksSayPerRowWhetherTheyApplied() {
    String route = newRoute();
    due(route, "a");
    due(route, "b");
    due(route, "c");
    List<Claim> claims = claim(route, LOADER);
    store().cancel(claims.get(1).key());
    Instant until = store().now();
    List<HeldMark> marks =
        List.of(
            new HeldMark(claims.get(2), until, null),
            new HeldMark(claims.get(1), until, null),
            new HeldMark(claims.get(0), until, "e"));
    assertThat(store().markHeld(marks)).containsExactly(true, false, true);
    assertThat(store().markHeld(marks)).containsExactly(false, false, false);
    assertThat(store().markHeld(List.of())).isEmpty();
    assertThat(state(claims.get(1).key())).isEqualTo(MessageState.CANCELLED);
  }

  @Test
  default void forgottenRowsAreGone() {
    String route = newRoute();
    MessageKey key = due(route, "a");
    Claim claim = claimOne(route, LOADER);
    Claim stale = new Claim(claim.message(), claim.owner(), claim.fence() - 1);
    assertThat(store().forget(List.of(stale, claim))).containsExactly(false, true);
    assertThat(store().find(key)).isEmpty();
  }

  @Test
  default void thePublisherMarksWhatItInsertedWithALease() {
    String route = newRoute();
    Instant at = store().now();
    store().insert(List.of(message(route, "a", at)), LOADER);
    StoredMessage row = found(new MessageKey(route, "a"));
    assertThat(hold(new Claim(row, LOADER.owner(), 1), "e")).isTrue();
    assertThat(state(row.key())).isEqualTo(MessageState.HELD);
  }
}
