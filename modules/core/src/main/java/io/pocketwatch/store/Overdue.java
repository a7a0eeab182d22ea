// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Instant;
import java.util.List;

/**
 * The overdue rows of a route, and what that route's consumers have done.
 *
 * @param route the route
 * @param count {@code HELD} and {@code FULL} rows past their instant that no consumer has begun
 * @param oldest the earliest of their instants
 * @param consumers each that has settled something of the route, by name; also one that is gone,
 *     until what it settled is history
 */
public record Overdue(String route, long count, Instant oldest, List<ConsumerProgress> consumers) {
  /** Keeps a copy of the list. */
  public Overdue {
    consumers = List.copyOf(consumers);
  }
}
