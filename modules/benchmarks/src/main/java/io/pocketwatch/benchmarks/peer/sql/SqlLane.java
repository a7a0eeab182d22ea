// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.sql;

import io.pocketwatch.benchmarks.harness.Lane;

/** A lane over a table. */
public interface SqlLane extends Lane {
  LaneDatabase database();

  /** From now on what is due goes to its consumer. */
  void start() throws Exception;

  /**
   * Adds rows that no round will see: like those of {@link #ask}, due at random within a year that
   * begins in two days.
   */
  void fill(long rows) throws Exception;
}
