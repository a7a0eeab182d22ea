// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A queue that drops what was returned more than twice, and a store that is away for longer. On a
 * broker that counts every return; 4.3 does not count those of a consumer that asks for requeueing.
 */
@Tag("wide")
class FewReturnsIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("3.10");

  @Test
  void messages_wait_and_none_is_dropped() throws Exception {
    Map<String, Object> fewReturns = Map.of("x-queue-type", "quorum", "x-delivery-limit", 2);
    try (TestDatabase database = TestDatabases.h2();
        HikariDataSource pool = GuardIT.pool(database);
        GuardWorld world = new GuardWorld(BROKER::connectionFactory, pool)) {
      StoreDownTests.waitThrough(world, fewReturns, StoreDownTests.IMPATIENT, 60);
    }
  }
}
