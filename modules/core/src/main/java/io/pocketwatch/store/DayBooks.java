// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.util.Map;

/**
 * The books of a route for a time range: every message due in it, by state.
 *
 * @param route the route
 * @param scheduled all of them
 * @param byState how many are in each state; they add up to {@code scheduled}
 */
public record DayBooks(String route, long scheduled, Map<MessageState, Long> byState) {
  public DayBooks {
    byState = Map.copyOf(byState);
  }

  /** Whether every message is in one of the states. */
  public boolean balanced() {
    long sum = byState.values().stream().mapToLong(Long::longValue).sum();
    return sum == scheduled;
  }
}
