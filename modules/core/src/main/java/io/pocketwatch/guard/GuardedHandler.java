// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

/** Does the work of the messages a guard lets through. */
@FunctionalInterface
public interface GuardedHandler {
  /**
   * Called on a thread of the guard, for the messages of one channel one after another. Returning
   * means that the work is done: the message is settled, together with others, and then
   * acknowledged.
   *
   * @throws Exception if it is not done: the message is recorded as failed, and goes where the
   *     queue sends what is rejected
   */
  void handle(GuardedDelivery delivery) throws Exception;
}
