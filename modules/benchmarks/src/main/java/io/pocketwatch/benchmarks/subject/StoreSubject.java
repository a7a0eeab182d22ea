// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.subject;

import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Server;
import io.pocketwatch.benchmarks.peer.sql.PostgresServer;
import io.pocketwatch.benchmarks.peer.sql.SqlSubject;
import io.pocketwatch.config.DelayRoute.Tracking;
import java.util.List;

/** Ours through the store: a row per message, and quorum queues. */
public final class StoreSubject implements SqlSubject {
  private final String name;
  private final Tracking tracking;

  private final int channels;

  private StoreSubject(String name, Tracking tracking, int channels) {
    this.name = name;
    this.tracking = tracking;
    this.channels = channels;
  }

  /**
   * The row stays until the guarded consumer has settled it. The consumer works on as many channels
   * as the best of db-scheduler has threads.
   */
  public static StoreSubject tracked() {
    return new StoreSubject("tracked-quorum", Tracking.FULL, 40);
  }

  /** As {@link #tracked}, with a consumer on one channel. */
  public static StoreSubject trackedOnOneChannel() {
    return new StoreSubject("tracked-one-channel", Tracking.FULL, 1);
  }

  /** The row stays until the broker has the message; any consumer will do. */
  public static StoreSubject handoff() {
    return new StoreSubject("handoff-quorum", Tracking.HANDOFF, 1);
  }

  @Override
  public String name() {
    return name;
  }

  /** Whether a loader takes its rows to the broker before they are due. */
  public boolean isHeldByBroker() {
    return tracking != Tracking.FULL;
  }

  @Override
  public String durability() {
    return "synchronous commit (but of begins); then persistent, confirmed";
  }

  @Override
  public int expectedPerSecond() {
    return 4_000;
  }

  @Override
  public List<Server> servers(Ground ground) throws Exception {
    return List.of(PostgresServer.of(ground), RabbitServer.single(ground));
  }

  @Override
  public StoreLane prepare(Ground ground, Ledger ledger) throws Exception {
    return StoreLane.open(
        PostgresServer.of(ground), RabbitServer.single(ground), tracking, channels, ledger);
  }
}
