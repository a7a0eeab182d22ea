// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.sql;

import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Server;
import io.pocketwatch.benchmarks.harness.Subject;
import java.util.List;

/** A subject whose messages lie in a table of the PostgreSQL until they are due. */
public interface SqlSubject extends Subject {
  /** A lane that takes messages, and lets none of them go before it is started. */
  SqlLane prepare(Ground ground, Ledger ledger) throws Exception;

  @Override
  default SqlLane open(Ground ground, Ledger ledger) throws Exception {
    SqlLane lane = prepare(ground, ledger);
    try {
      lane.start();
      return lane;
    } catch (Exception e) {
      lane.close();
      throw e;
    }
  }

  @Override
  default List<Server> servers(Ground ground) throws Exception {
    return List.of(PostgresServer.of(ground));
  }

  @Override
  default String durability() {
    return "synchronous commit";
  }
}
