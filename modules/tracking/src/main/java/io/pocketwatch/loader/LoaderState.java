// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of a loader. Instants are on the store's clock.
 *
 * @param owner its name in claims and heartbeats
 * @param running whether it was started and not closed
 * @param lastRun when a run or sweep last ended, or null
 * @param nextRun when the horizon moves next
 * @param horizon the instant up to which the last complete run loaded everything, or null
 * @param loaded messages handed off since it was built
 * @param lastError why the last run or recovery failed, or null if it did not
 * @param silentRoutes routes with overdue messages that settle nothing
 */
public record LoaderState(
    String owner,
    boolean running,
    @Nullable Instant lastRun,
    Instant nextRun,
    @Nullable Instant horizon,
    long loaded,
    @Nullable String lastError,
    Set<String> silentRoutes) {
  public LoaderState {
    silentRoutes = Set.copyOf(silentRoutes);
  }

  /** Whether a person should look at it. */
  public boolean warning() {
    return lastError != null || !silentRoutes.isEmpty();
  }
}
