// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a store saw in a time range.
 *
 * @param scheduled rows made in it that are still there
 * @param due messages whose instant lies in it, the cancelled ones left out
 * @param latenessMillis of the messages that all expected consumers had settled in it: how long
 *     after its instant each consumer began, and how often; below zero is early
 */
public record Activity(long scheduled, long due, SortedMap<Long, Long> latenessMillis) {
  public Activity {
    latenessMillis = Collections.unmodifiableSortedMap(new TreeMap<>(latenessMillis));
  }

  /** How many settlements there were: one per message and consumer. */
  public long settled() {
    return latenessMillis.values().stream().mapToLong(Long::longValue).sum();
  }
}
