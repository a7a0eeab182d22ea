// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.store.StoreContract;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LostRowsIT implements StoreContract {
  private static final String ROUTE = "orders";

  private TestDatabase database;
  private OpenStore open;

  @BeforeEach
  void create() {
    database = TestDatabases.h2();
    open = OpenStore.create(StoreSettings.at(database.url(), Map.of()));
  }

  @AfterEach
  void close() throws Exception {
    open.close();
    database.close();
  }

  @Override
  public DelayStore store() {
    return open.store();
  }

  @Test
  void releases_every_page_of_what_may_have_been_in_the_queue_and_nothing_else() {
    List<MessageKey> lost = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      lost.add(scheduled("lost-" + i, Duration.ofMinutes(i), Tracking.FULL));
    }
    MessageKey later = scheduled("later", Duration.ofMinutes(90), Tracking.FULL);
    MessageKey handed = scheduled("handed-over", Duration.ofMinutes(3), Tracking.HANDOFF);
    store()
        .claim(
            new ClaimRequest(
                ROUTE, store().now().plus(Duration.ofDays(1)), 1000, Long.MAX_VALUE, LOADER))
        .forEach(claim -> assertThat(hold(claim)).isTrue());

    assertThat(new LostRows(store(), 2).release(Duration.ofHours(1))).isEqualTo(7);

    assertThat(lost).allMatch(key -> state(key) == MessageState.PENDING);
    assertThat(List.of(later, handed)).allMatch(key -> state(key) == MessageState.HELD);
  }

  private MessageKey scheduled(String id, Duration delay, Tracking tracking) {
    return inserted(message(ROUTE, id, store().now().plus(delay), tracking, 1));
  }
}
