// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.internal.base.DurationText;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * How the messages of a route are kept in the database.
 *
 * @param tracking how long a row is kept
 * @param handoffBefore keep the message in the database until this long before it is due, 1 s to 31
 *     d, or null to hand it over as soon as it is within the horizon
 * @param consumers how many consumers must settle each message of a {@code FULL} route, 1 to 32:
 *     one per guarded queue that gets a copy
 * @param insertLimit at most so many new rows per second and process, 1 to 1,000,000, or null for
 *     no limit; above it the message is rejected
 * @param weight this route's share when several have rows to load, 1 to 100
 */
public record StorePolicy(
    Tracking tracking,
    @Nullable Duration handoffBefore,
    int consumers,
    @Nullable Integer insertLimit,
    int weight) {
  private static final Duration LONGEST_HANDOFF = Duration.of(31, ChronoUnit.DAYS);

  public StorePolicy {
    Ranges.require(
        handoffBefore == null
            || handoffBefore.compareTo(Duration.ofSeconds(1)) >= 0
                && handoffBefore.compareTo(LONGEST_HANDOFF) <= 0,
        "handoff-before " + (handoffBefore == null ? "" : DurationText.format(handoffBefore)),
        "1s to 31d");
    Ranges.require(consumers >= 1 && consumers <= 32, "consumers " + consumers, "1 to 32");
    Ranges.require(
        insertLimit == null || insertLimit >= 1 && insertLimit <= 1_000_000,
        "insert-limit " + insertLimit,
        "1 to 1000000");
    Ranges.require(weight >= 1 && weight <= 100, "weight " + weight, "1 to 100");
  }

  /** Tracking none, one consumer, no limit, weight 1. */
  public static StorePolicy defaults() {
    return new StorePolicy(Tracking.NONE, null, 1, null, 1);
  }

  /** Whether each message has a row, however soon it is due. */
  public boolean tracked() {
    return tracking != Tracking.NONE;
  }

  public StorePolicy withTracking(Tracking tracking) {
    return new StorePolicy(tracking, handoffBefore, consumers, insertLimit, weight);
  }

  public StorePolicy withHandoffBefore(Duration handoffBefore) {
    return new StorePolicy(tracking, handoffBefore, consumers, insertLimit, weight);
  }

  public StorePolicy withConsumers(int consumers) {
    return new StorePolicy(tracking, handoffBefore, consumers, insertLimit, weight);
  }

  public StorePolicy withInsertLimit(int insertLimit) {
    return new StorePolicy(tracking, handoffBefore, consumers, insertLimit, weight);
  }

  public StorePolicy withWeight(int weight) {
    return new StorePolicy(tracking, handoffBefore, consumers, insertLimit, weight);
  }

  /** How long a database keeps a copy of each message of a route. */
  public enum Tracking {
    /** Only while it is due beyond the horizon; deleted when the broker has confirmed it. */
    NONE,
    /**
     * From scheduling until the broker has confirmed it, and then only as evidence: can be
     * cancelled and rescheduled until handed off, is loaded again if the broker loses its disk.
     */
    HANDOFF,
    /** Until every consumer has settled it: all of that to the end, and an effect only once. */
    FULL
  }
}
