// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.catalogue;

import java.time.Duration;
import java.util.List;

/** Between the processes and the broker. */
final class NetworkFaults {
  private static final Duration CUT = Duration.ofSeconds(8);
  private static final Duration STALLED = Duration.ofSeconds(20);

  private NetworkFaults() {}

  static List<Fault> all() {
    return List.of(
        Fault.onNode(
            "network-cut",
            "all connections to the broker are reset, and new ones refused for 8 s",
            world -> {
              world.network().cut();
              world.last(CUT);
              world.network().mend();
            }),
        Fault.onNode(
            "network-stalled",
            "connections to the broker stay open and carry nothing for 20 s",
            world -> {
              world.network().stall();
              world.last(STALLED);
              world.network().mend();
            }));
  }
}
