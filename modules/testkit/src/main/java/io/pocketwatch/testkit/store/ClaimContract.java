// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Who may hand a row to the broker. */
public interface ClaimContract extends StoreContract {
  @Test
  default void claims_what_is_due_earliest_first() {
    String route = newRoute();
    Instant now = store().now();
    inserted(message(route, "second", now.minusSeconds(2)));
    inserted(message(route, "long ago", now.minus(Duration.ofDays(400))));
    inserted(message(route, "later", now.plusSeconds(60)));
    inserted(message(route, "third", now.minusSeconds(1)));
    inserted(message(newRoute(), "elsewhere", now.minusSeconds(1)));
    store().routesDue(now, null);

    List<Claim> claims = store().claim(new ClaimRequest(route, now, 2, Long.MAX_VALUE, LOADER));
    assertThat(claims).extracting(claim -> claim.key().id()).containsExactly("long ago", "second");
    assertThat(claims).extracting(Claim::fence).containsOnly(1L);
    assertThat(claims).extracting(Claim::owner).containsOnly("loader-1");
    assertThat(claim(route, LOADER)).extracting(claim -> claim.key().id()).containsExactly("third");
    assertThat(claim(route, OTHER)).isEmpty();
  }

  @Test
  default void stops_before_the_bytes_but_takes_one_at_least() {
    String route = newRoute();
    Instant now = store().now();
    for (String id : List.of("a", "b", "c")) {
      inserted(message(route, id, now)); // bodies of 9 bytes, properties of 3
    }
    store().routesDue(now, null);
    assertThat(store().claim(new ClaimRequest(route, now, 10, 24, LOADER))).hasSize(2);
    assertThat(store().claim(new ClaimRequest(route, now, 10, 1, LOADER))).hasSize(1);
  }

  @Test
  default void a_lease_of_the_publisher_keeps_loaders_away() {
    String route = newRoute();
    Instant now = store().now();
    store().insert(List.of(message(route, "a", now)), new Lease("publisher", LONG));
    assertThat(claim(route, LOADER)).isEmpty();
    assertThat(store().routesDue(now, null)).doesNotContain(route);

    store().insert(List.of(message(route, "b", now)), new Lease("publisher", Duration.ZERO));
    Claim claim = claimOne(route, LOADER);
    assertThat(claim.key().id()).isEqualTo("b");
    assertThat(claim.fence()).isEqualTo(2);
  }

  @Test
  default void anyone_may_claim_when_the_lease_is_over() {
    String route = newRoute();
    due(route, "a");
    Claim first = claimOne(route, new Lease("loader-1", Duration.ofMillis(50)));
    Claim second =
        Awaitility.await().until(() -> claim(route, OTHER), claims -> !claims.isEmpty()).get(0);
    assertThat(second.fence()).isEqualTo(2);
    assertThat(hold(first)).as("the one that was stopped").isFalse();
    assertThat(hold(second)).isTrue();
  }

  @Test
  default void names_the_routes_that_are_due() {
    String due = newRoute();
    String later = newRoute();
    Instant now = store().now();
    inserted(message(due, "a", now));
    inserted(message(later, "a", now.plusSeconds(60)));
    assertThat(store().routesDue(now, null)).contains(due).doesNotContain(later);
    assertThat(store().routesDue(now.plusSeconds(60), null)).contains(due, later);
    assertThat(store().routesDue(now, Set.of(later, "none", due))).containsExactly(due);
    assertThat(store().routesDue(now, Set.of())).isEmpty();
    claim(due, LOADER);
    assertThat(store().routesDue(now, null)).doesNotContain(due);
  }

  @Test
  default void what_is_put_into_the_past_is_found_by_a_look_in_full() {
    String route = newRoute();
    Instant now = store().now();
    inserted(message(route, "a", now));
    assertThat(store().routesDue(now, null)).contains(route);
    assertThat(store().routesDue(now, Set.of(route))).containsExactly(route);
    assertThat(claimOne(route, LOADER).key().id()).isEqualTo("a");
    inserted(message(route, "b", now.minus(Duration.ofDays(400))));

    assertThat(store().routesDue(now, null)).contains(route);
    assertThat(store().routesDue(now, Set.of(route))).containsExactly(route);
    assertThat(claimOne(route, OTHER).key().id()).isEqualTo("b");
  }

  @Test
  default void given_back_rows_can_be_claimed_at_once() {
    String route = newRoute();
    due(route, "a");
    due(route, "b");
    List<Claim> claims = claim(route, LOADER);
    assertThat(giveBack(claims)).isEqualTo(2);
    assertThat(giveBack(claims)).isZero();
    assertThat(claim(route, OTHER)).hasSize(2);
  }

  @Test
  default void a_postponed_row_waits_and_counts_the_attempt() {
    String route = newRoute();
    var key = due(route, "a");
    Claim claim = claimOne(route, LOADER);
    assertThat(postpone(claim, LONG, "frame too large")).isTrue();
    assertThat(postpone(claim, LONG, "again")).isFalse();
    assertThat(claim(route, OTHER)).isEmpty();
    assertThat(found(key).attempts()).isEqualTo(1);
    assertThat(found(key).reason()).isEqualTo("frame too large");
    assertThat(store().retry(key)).isEqualTo(io.pocketwatch.ChangeOutcome.DONE);
    assertThat(claimOne(route, OTHER).message().attempts()).isZero();
  }

  @Test
  default void a_parked_row_stays_for_a_human() {
    String route = newRoute();
    var key = due(route, "a");
    Claim claim = claimOne(route, LOADER);
    assertThat(park(claim, "x".repeat(5000))).isTrue();
    assertThat(park(claim, "again")).isFalse();
    assertThat(state(key)).isEqualTo(MessageState.PARKED);
    assertThat(found(key).reason()).startsWith("xxx");
    assertThat(claim(route, OTHER)).isEmpty();
  }
}
