// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.catalogue;

import io.pocketwatch.lab.faults.account.Lane;
import java.time.Duration;
import java.util.List;

/** The user's own exchange and queues. */
final class TargetFaults {
  private static final Duration FULL = Duration.ofSeconds(10);
  private static final Duration GONE = Duration.ofSeconds(8);
  private static final String POLICY = "faults-full";

  private TargetFaults() {}

  static List<Fault> all() {
    return List.of(
        Fault.onNode(
            "target-full",
            "consumers are frozen, and target queues of 5 messages reject more, for 10 s",
            world -> {
              world.node().ctl("set_policy", "--apply-to", "queues", POLICY, targets(), full());
              world.consumer().pause();
              try {
                world.last(FULL);
              } finally {
                world.consumer().resume();
                world.node().ctl("clear_policy", POLICY);
              }
            }),
        Fault.onNode(
                "target-deleted",
                "the target exchange is deleted, and made again with its bindings after 8 s",
                world -> {
                  world.asOperator(channel -> channel.exchangeDelete(Lane.EXCHANGE));
                  world.last(GONE);
                  world.declareTargets();
                })
            .asLastOfItsBroker()); // the publisher may bind it 30 s later
  }

  private static String targets() {
    return "^" + Lane.EXCHANGE + "\\.(none|handoff|full)-.*";
  }

  private static String full() {
    return "{\"max-length\":5,\"overflow\":\"reject-publish\"}";
  }
}
