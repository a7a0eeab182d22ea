// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of a run.
 *
 * @param horizon the instant up to which it loaded
 * @param loaded messages handed off and marked, by route
 * @param parked given up
 * @param waiting left for later, because their target is missing or they failed alone
 * @param givenBack claimed, but not taken by the broker
 * @param outrun on the broker, but no longer this loader's when they were to be marked: settled,
 *     changed, or claimed by another; may arrive twice
 * @param duration how long it took
 * @param error why it ended before everything was loaded, or null
 * @param refusal why the broker did not take the first that were given back, or null
 */
public record LoadReport(
    Instant horizon,
    Map<String, Long> loaded,
    long parked,
    long waiting,
    long givenBack,
    long outrun,
    Duration duration,
    @Nullable String error,
    @Nullable String refusal) {
  public LoadReport {
    loaded = Map.copyOf(loaded);
  }

  /** Messages handed off and marked, of all routes. */
  public long total() {
    return loaded.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Why the run is not complete, or null if it is. */
  public @Nullable String reason() {
    return error != null ? error : refusal;
  }

  /** Whether the run loaded everything there was to load. */
  public boolean complete() {
    return error == null && givenBack == 0;
  }
}
