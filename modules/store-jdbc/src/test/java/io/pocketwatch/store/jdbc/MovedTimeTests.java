// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Time that tests of applications move. */
interface MovedTimeTests extends JdbcStoreContract {
  private MovedTime time() {
    return MovedTime.of(jdbcStore());
  }

  @Test
  default void what_waits_is_due_earlier_as_it_is() {
    time().advance(Duration.ofDays(3_650)); // for what other tests have left
    String route = newRoute();
    Instant due = store().now().plus(ofMinutes(30));
    MessageKey first = inserted(message(route, "a", due));
    inserted(message(route, "b", due.plus(ofMinutes(30))));
    MessageKey failed = held(newRoute(), "c");
    Instant again = store().now().plus(ofMinutes(10));
    assertThat(handlings().postpone(begun(failed, "q"), again, "status 503")).isTrue();

    assertThat(time().advance(ofMinutes(30))).isEqualTo(2);

    assertThat(found(first).nextAt()).isEqualTo(due.minus(ofMinutes(30)));
    assertThat(found(first).deliverAt()).isEqualTo(due.minus(ofMinutes(30)));
    assertThat(claimOne(route, LOADER).key()).isEqualTo(first);
    StoredMessage retry = found(failed);
    assertThat(retry.nextAt()).isEqualTo(again.minus(ofMinutes(30)));
    assertThat(retry.state()).isEqualTo(MessageState.PENDING);
    assertThat(retry.nextQueue()).isEqualTo("q");
    assertThat(retry.generation()).as("the same version, with its attempts").isEqualTo(1);
    assertThat(time().advance(ofMinutes(30))).isOne();
  }

  @Test
  default void what_is_sent_when_due_counts_once_though_it_is_claimed() {
    time().advance(Duration.ofDays(3_650));
    String route = newRoute();
    inserted(message(route, "a", store().now().plus(ofMinutes(30))));
    Claim claim = claimAhead(route, LOADER);

    assertThat(time().advance(ofMinutes(29))).isZero();
    assertThat(time().advance(ofMinutes(1))).isOne();
    assertThat(time().advance(ofMinutes(1))).isZero();
    assertThat(claim(route, OTHER)).as("sent by who has it, and by nobody else").isEmpty();
    assertThat(hold(claim)).isTrue();
    assertThat(time().advance(ofMinutes(1))).isZero();
  }

  @Test
  default void what_is_handed_to_the_broker_is_told_until_it_is_there_or_its_lease_is_over() {
    time().advance(Duration.ofDays(3_650));
    int others = time().handedOffNow();
    String route = newRoute();
    inserted(message(route, "a", store().now().plus(ofMinutes(30)), Tracking.HANDOFF));
    assertThat(time().handedOffNow()).isEqualTo(others);
    Claim abandoned = claimAhead(route, new Lease("gone", Duration.ofMillis(1)));
    await().until(() -> time().handedOffNow() == others);

    assertThat(time().advance(ofMinutes(30))).as("anyone may claim it").isOne();
    Claim claim = claimAhead(route, LOADER);
    assertThat(hold(abandoned)).isFalse();
    assertThat(time().handedOffNow()).isEqualTo(others + 1);
    assertThat(hold(claim)).isTrue();
    assertThat(time().handedOffNow()).isEqualTo(others);
  }

  private Claim claimAhead(String route, Lease lease) {
    Instant horizon = store().now().plus(ofMinutes(60));
    List<Claim> claims = store().claim(new ClaimRequest(route, horizon, 10, Long.MAX_VALUE, lease));
    assertThat(claims).hasSize(1);
    return claims.get(0);
  }
}
