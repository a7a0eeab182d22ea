// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.sql;

import io.pocketwatch.benchmarks.harness.Joining;

/** A peer at work on a database. */
interface Engine extends Joining.Writer, AutoCloseable {
  void start() throws Exception;

  /** See {@link SqlLane#fill}. */
  void fill(long rows) throws Exception;

  /** Ends its threads. */
  @Override
  void close() throws Exception;
}
