// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.store;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.assertj.core.api.Assertions;

/** What the parts of the store contract share. Each test works on a route of its own. */
public interface StoreContract {
  Duration LONG = Duration.ofMinutes(10);
  Lease LOADER = new Lease("loader-1", LONG);
  Lease OTHER = new Lease("loader-2", LONG);

  /** The store under test, on an empty database shared by the tests of a class. */
  DelayStore store();

  default String newRoute() {
    return "route-" + UUID.randomUUID();
  }

  default ScheduledMessage message(String route, String id, Instant deliverAt) {
    return message(route, id, deliverAt, Tracking.FULL);
  }

  default ScheduledMessage message(String route, String id, Instant deliverAt, Tracking tracking) {
    return new ScheduledMessage(
        new MessageKey(route, id),
        "order " + id,
        "orders",
        "order.timeout",
        new byte[] {0, 1, (byte) 0xff},
        ("body of " + id).getBytes(StandardCharsets.UTF_8),
        deliverAt,
        tracking);
  }

  /** Inserts one due message and returns its key. */
  default MessageKey due(String route, String id) {
    return inserted(message(route, id, store().now().minusSeconds(3)));
  }

  default MessageKey inserted(ScheduledMessage message) {
    Assertions.assertThat(store().insert(List.of(message), null))
        .containsExactly(InsertOutcome.INSERTED);
    return message.key();
  }

  /** After a look in full, if none is found without. */
  default List<Claim> claim(String route, Lease lease) {
    List<Claim> found = claimFromBound(route, lease);
    if (found.isEmpty()) {
      store().routesDue(store().now(), null);
      found = claimFromBound(route, lease);
    }
    return found;
  }

  private List<Claim> claimFromBound(String route, Lease lease) {
    return store().claim(new ClaimRequest(route, store().now(), 1000, Long.MAX_VALUE, lease));
  }

  default Claim claimOne(String route, Lease lease) {
    List<Claim> claims = claim(route, lease);
    Assertions.assertThat(claims).hasSize(1);
    return claims.get(0);
  }

  /** The broker has confirmed it; held for a second longer than it was to be. */
  default boolean hold(Claim claim) {
    return sent(claim, claim.message().deliverAt().plusSeconds(1));
  }

  default boolean sent(Claim claim, Instant heldUntil) {
    return conclude(Conclusion.sent(claim, heldUntil));
  }

  default boolean park(Claim claim, String reason) {
    return conclude(Conclusion.park(claim, reason));
  }

  default boolean postpone(Claim claim, Duration pause, String reason) {
    return conclude(Conclusion.postpone(claim, pause, reason));
  }

  /** How many could be given back. */
  default int giveBack(List<Claim> claims) {
    List<Ended> ended = store().conclude(claims.stream().map(Conclusion::giveBack).toList());
    return Collections.frequency(ended, Ended.APPLIED);
  }

  private boolean conclude(Conclusion end) {
    return store().conclude(List.of(end)).get(0) == Ended.APPLIED;
  }

  /** A due message that is on the broker. */
  default MessageKey held(String route, String id) {
    MessageKey key = due(route, id);
    Assertions.assertThat(hold(claimOne(route, LOADER))).isTrue();
    return key;
  }

  default Handlings handlings() {
    return Handlings.of(store());
  }

  default Handling begun(MessageKey key, String consumer) {
    StoredMessage message = found(key);
    Handlings.Answer begun = handlings().begin(key, message.generation(), consumer, LONG);
    Assertions.assertThat(begun.verdict()).isEqualTo(Begun.Verdict.HANDLE);
    return begun.handling();
  }

  default StoredMessage found(MessageKey key) {
    return store().find(key).orElseThrow();
  }

  default MessageState state(MessageKey key) {
    return found(key).state();
  }
}
