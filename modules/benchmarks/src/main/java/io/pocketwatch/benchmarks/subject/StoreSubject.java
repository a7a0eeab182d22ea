// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.subject;

import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Server;
import io.pocketwatch.benchmarks.peer.sql.PostgresServer;
import io.pocketwatch.benchmarks.peer.sql.SqlSubject;
import io.pocketwatch.route.Tracking;
import java.util.List;

/** Ours through the store: a row per message, the wheel on quorum queues. */
public final class StoreSubject implements SqlSubject {
  private final String name;
  private final Tracking tracking;

  private StoreSubject(String name, Tracking tracking) {
    this.name = name;
    this.tracking = tracking;
  }

  /** The row stays until the guarded consumer has settled it, which counts as the arrival. */
  public static StoreSubject tracked() {
    return new StoreSubject("tracked-quorum", Tracking.FULL);
  }

  /** The row stays until the broker has the message; any consumer will do. */
  public static StoreSubject handoff() {
    return new StoreSubject("handoff-quorum", Tracking.HANDOFF);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String durability() {
    return "synchronous commit; then persistent, confirmed";
  }

  @Override
  public int expectedPerSecond() {
    return tracking == Tracking.FULL ? 1_500 : 4_000;
  }

  @Override
  public List<Server> servers(Ground ground) throws Exception {
    return List.of(PostgresServer.of(ground), RabbitServer.single(ground));
  }

  @Override
  public StoreLane prepare(Ground ground, Ledger ledger) throws Exception {
    return StoreLane.open(PostgresServer.of(ground), RabbitServer.single(ground), tracking, ledger);
  }
}
