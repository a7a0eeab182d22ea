// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.recovery;

import io.pocketwatch.guard.GuardedDelivery;

/** What a worker does with a message it was let through to. */
@FunctionalInterface
interface Work {
  void handle(String id, GuardedDelivery delivery) throws Exception;
}
