// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.broker;

import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.Lane;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Server;
import io.pocketwatch.benchmarks.harness.Subject;
import java.util.List;

/** Scheduled delivery of ActiveMQ Artemis, with its own protocol. */
final class Artemis implements Subject {

  @Override
  public String name() {
    return "artemis";
  }

  @Override
  public String durability() {
    return "a crash of the broker or its machine (journal synced), not of its disk";
  }

  @Override
  public List<Server> servers(Ground ground) throws Exception {
    return List.of(ArtemisServer.shared(ground));
  }

  @Override
  public Lane open(Ground ground, Ledger ledger) throws Exception {
    return ArtemisLane.open(ArtemisServer.shared(ground).url(), ledger);
  }
}
