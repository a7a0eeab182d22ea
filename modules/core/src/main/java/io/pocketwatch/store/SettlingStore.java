// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What the delivery guard needs. Each call is one transaction for all it is given. A handling is
 * known by its token: a begin or a settle may be repeated when its answer was lost; any other
 * ending is overtaken by itself then. No list names a message twice. A row that somebody else has
 * locked is left out and answered as locked, so that nobody waits for another's transaction;
 * whoever asked asks again later.
 */
public interface SettlingStore {
  /**
   * Asks to handle copies that have arrived. {@code HANDLE} only if the message is not cancelled,
   * the generation is equal, and this consumer has neither settled nor, under an unexpired lease
   * and another token, begun. What other consumers have settled refuses nobody.
   *
   * @param lease how long the handlers may take before someone else may begin
   * @return the answers, in order
   */
  List<Begun> begin(List<Beginning> copies, Duration lease);

  /**
   * Ends handlings that are still their consumers' last, of the messages' last generation.
   *
   * @return what became of them, in order
   */
  List<Ended> end(List<Ending> endings);

  /**
   * Makes leases last this much longer from now.
   *
   * @return for each, in order, false if it was taken over or has ended; true also where its row is
   *     locked, as by whoever ends it just now
   */
  List<Boolean> extend(List<Handling> handlings, Duration lease);

  /** The store's clock; asks the store. */
  Instant now();
}
