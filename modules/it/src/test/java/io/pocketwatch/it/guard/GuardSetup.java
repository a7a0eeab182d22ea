// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.guard;

import io.pocketwatch.testkit.BrokerExtension;

/** What the tests of the guard run in. */
interface GuardSetup {
  /** The hold queues that all tests share; who changes them has them alone. */
  String WHEEL = "wheel";

  /** That of the test which runs in this thread. */
  GuardWorld world();

  BrokerExtension broker();
}
