// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.sql;

import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.Ledger;

/** Quartz with its JDBC store, clustered; an execution of the job is an arrival. */
public final class QuartzSubject implements SqlSubject {
  /** Beside its threads: acquiring, misfires, cluster, those who write. */
  private static final int OTHER_CONNECTIONS = 8;

  private final String name;
  private final int threads;
  private final int batch;

  /**
   * @param batch how many triggers it acquires at once; 1 unless changed
   */
  public QuartzSubject(String name, int threads, int batch) {
    this.name = name;
    this.threads = threads;
    this.batch = batch;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int expectedPerSecond() {
    return 200;
  }

  @Override
  public SqlLane prepare(Ground ground, Ledger ledger) throws Exception {
    LaneDatabase database =
        LaneDatabase.create(PostgresServer.of(ground), threads + OTHER_CONNECTIONS);
    try {
      return new EngineLane(database, new QuartzEngine(database, threads, batch, ledger), ledger);
    } catch (Exception e) {
      database.close();
      throw e;
    }
  }
}
