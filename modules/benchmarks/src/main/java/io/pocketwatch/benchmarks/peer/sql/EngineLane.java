// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.sql;

import io.pocketwatch.benchmarks.harness.Ask;
import io.pocketwatch.benchmarks.harness.Joining;
import io.pocketwatch.benchmarks.harness.Ledger;

/** Gives an engine its work in batches. */
final class EngineLane implements SqlLane {
  private static final int WRITERS = 4;

  /** What db-scheduler's own client takes as a batch. */
  private static final int LARGEST = 100;

  private static final int WAITING = 2_000;

  private final LaneDatabase database;
  private final Engine engine;
  private final Joining asks;

  EngineLane(LaneDatabase database, Engine engine, Ledger ledger) {
    this.database = database;
    this.engine = engine;
    this.asks = new Joining(ledger, WRITERS, LARGEST, WAITING, engine);
  }

  @Override
  public LaneDatabase database() {
    return database;
  }

  @Override
  public void ask(int number, byte[] payload, long dueMillis) throws InterruptedException {
    asks.add(new Ask(number, payload, dueMillis));
  }

  @Override
  public void flush() throws InterruptedException {
    asks.flush();
  }

  @Override
  public void start() throws Exception {
    engine.start();
  }

  @Override
  public void fill(long rows) throws Exception {
    engine.fill(rows);
  }

  @Override
  public void close() throws Exception {
    asks.close();
    try {
      engine.close();
    } finally {
      database.close();
    }
  }
}
