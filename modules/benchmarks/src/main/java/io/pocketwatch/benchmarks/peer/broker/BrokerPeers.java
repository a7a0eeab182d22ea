// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.broker;

import io.pocketwatch.benchmarks.harness.Subject;
import java.time.Duration;
import java.util.List;

/** Other brokers that delay by themselves. */
public final class BrokerPeers {
  private BrokerPeers() {}

  public static List<Subject> all() {
    return List.of(
        new Artemis(), Rocket.timer(), Rocket.timer(Duration.ofMillis(100)), Rocket.levels());
  }
}
