// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Instant;
import java.util.List;

/**
 * The overdue rows of a route, and what that route's consumers have done.
 *
 * @param route the route
 * @param count {@code HELD} and {@code FULL} rows past their instant that no consumer has begun,
 *     and that were not held again lately
 * @param notBegun the same, with those that were held again lately
 * @param oldest the earliest instant of those counted first
 * @param consumers each that has settled something of the route, by name; also one that is gone,
 *     until that is as long ago as finished messages are kept
 */
public record Overdue(
    String route, long count, long notBegun, Instant oldest, List<ConsumerProgress> consumers) {
  /** Keeps a copy of the list. */
  public Overdue {
    consumers = List.copyOf(consumers);
  }
}
