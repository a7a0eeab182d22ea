// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.testkit.store.Handlings;
import io.pocketwatch.testkit.store.StoreContract;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A server asks the store itself, whichever loader looks after what is lost: here there is none.
 */
class UnendedWatchIT implements StoreContract {
  private TestDatabase database;
  private OpenStore open;
  private Duration maxSilence = Duration.ofHours(1);

  @BeforeEach
  void open() {
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
  void what_nobody_has_ended_is_counted_by_the_configuration_of_now() {
    MessageKey left = held("orders", "left");
    Handlings.of(store()).begin(left, 1, "q", Duration.ZERO);
    UnendedWatch watch = new UnendedWatch(store(), () -> maxSilence);
    assertThat(watch.counts()).isEmpty();
    watch.run();
    assertThat(watch.counts()).isEmpty();

    maxSilence = Duration.ZERO;
    watch.run();
    assertThat(watch.counts()).containsExactly(Map.entry("orders", 1L));

    store().release(left);
    watch.run();
    assertThat(watch.counts()).isEmpty();
  }
}
