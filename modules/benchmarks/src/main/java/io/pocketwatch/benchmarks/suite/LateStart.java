// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.suite;

import io.pocketwatch.benchmarks.harness.Lane;
import io.pocketwatch.benchmarks.peer.sql.SqlLane;

/** Starts its lane when everything has been asked for, and lies there in order. */
final class LateStart implements Lane {
  private final SqlLane lane;
  private long startedMillis;

  LateStart(SqlLane lane) {
    this.lane = lane;
  }

  @Override
  public void ask(int number, byte[] payload, long dueMillis) throws Exception {
    lane.ask(number, payload, dueMillis);
  }

  @Override
  public void flush() throws Exception {
    lane.flush();
    lane.database().settle();
    startedMillis = System.currentTimeMillis();
    lane.start();
  }

  long startedMillis() {
    return startedMillis;
  }

  /** The lane is closed by whoever opened it. */
  @Override
  public void close() {}
}
