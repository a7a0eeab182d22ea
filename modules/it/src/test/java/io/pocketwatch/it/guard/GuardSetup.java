// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import io.pocketwatch.testkit.BrokerExtension;

/** What the tests of the guard run in. */
interface GuardSetup {
  GuardWorld world();

  BrokerExtension broker();
}
