// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.sql;

import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.Ledger;

/** db-scheduler: one table, polled; an execution is an arrival. */
public final class DbSchedulerSubject implements SqlSubject {
  /** Beside its threads: polling, housekeeping, those who write. */
  private static final int OTHER_CONNECTIONS = 8;

  private final String name;
  private final DbSchedulerSettings settings;

  public DbSchedulerSubject(String name, DbSchedulerSettings settings) {
    this.name = name;
    this.settings = settings;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int expectedPerSecond() {
    return 2_000;
  }

  @Override
  public SqlLane prepare(Ground ground, Ledger ledger) throws Exception {
    LaneDatabase database =
        LaneDatabase.create(PostgresServer.of(ground), settings.threads() + OTHER_CONNECTIONS);
    try {
      return new EngineLane(database, new DbSchedulerEngine(database, settings, ledger), ledger);
    } catch (Exception e) {
      database.close();
      throw e;
    }
  }
}
