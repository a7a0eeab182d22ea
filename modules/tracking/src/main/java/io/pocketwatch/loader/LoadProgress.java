// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import java.util.OptionalLong;

/** Watches a run. Called after each batch, by one thread at a time. */
@FunctionalInterface
public interface LoadProgress {
  /**
   * More of a route was loaded.
   *
   * @param loaded messages of the route this run has handed off so far
   * @param due how many there were to load when the run began, as far as known; others load too
   */
  void loaded(String route, long loaded, OptionalLong due);

  /** Watches nothing, so that nothing is counted beforehand. */
  static LoadProgress none() {
    return LoadCounters.NOBODY;
  }
}
