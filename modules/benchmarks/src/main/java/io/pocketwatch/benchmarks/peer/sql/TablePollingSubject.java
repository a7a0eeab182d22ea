// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.sql;

import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.Ledger;

/** What a shop writes by itself: a table, looked at every second by one thread. */
public final class TablePollingSubject implements SqlSubject {
  private static final int CONNECTIONS = 8;

  @Override
  public String name() {
    return "table-polling-1s";
  }

  @Override
  public SqlLane prepare(Ground ground, Ledger ledger) throws Exception {
    LaneDatabase database = LaneDatabase.create(PostgresServer.of(ground), CONNECTIONS);
    try {
      return new EngineLane(database, new TablePollingEngine(database, ledger), ledger);
    } catch (Exception e) {
      database.close();
      throw e;
    }
  }
}
