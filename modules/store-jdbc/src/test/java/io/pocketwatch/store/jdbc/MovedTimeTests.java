// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Time that tests of applications move. */
interface MovedTimeTests extends JdbcStoreContract {
  @Test
  default void whatWaitsIsDueEarlierAsItIs() {
    jdbcStore().advance(Duration.ofDays(3_650)); // for what other tests have left
    String route = newRoute();
    Instant due = store().now().plus(ofMinutes(30));
    MessageKey first = inserted(message(route, "a", due));
    inserted(message(route, "b", due.plus(ofMinutes(30))));
    MessageKey failed = held(newRoute(), "c");
    Instant again = store().now().plus(ofMinutes(10));
    assertThat(handlings().postpone(begun(failed, "q"), again, "status 503")).isTrue();

    assertThat(jdbcStore().advance(ofMinutes(30))).isEqualTo(2);

    assertThat(found(first).nextAt()).isEqualTo(due.minus(ofMinutes(30)));
    assertThat(found(first).deliverAt()).isEqualTo(due.minus(ofMinutes(30)));
    assertThat(claimOne(route, LOADER).key()).isEqualTo(first);
    StoredMessage retry = found(failed);
    assertThat(retry.nextAt()).isEqualTo(again.minus(ofMinutes(30)));
    assertThat(retry.state()).isEqualTo(MessageState.PENDING);
    assertThat(retry.nextQueue()).isEqualTo("q");
    assertThat(retry.generation()).as("the same version, with its attempts").isEqualTo(1);
    assertThat(jdbcStore().advance(ofMinutes(30))).isOne();
  }
}
