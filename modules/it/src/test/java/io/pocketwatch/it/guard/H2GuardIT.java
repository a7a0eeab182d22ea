// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import org.junit.jupiter.api.Tag;

@Tag("ci")
class H2GuardIT extends GuardIT {
  @Override
  TestDatabase create() {
    return TestDatabases.h2();
  }
}
