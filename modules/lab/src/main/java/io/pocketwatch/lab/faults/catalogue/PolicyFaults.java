// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.catalogue;

import java.time.Duration;
import java.util.List;

/** Policies that an operator sets for every queue, ours among them. */
final class PolicyFaults {
  private static final Duration SET = Duration.ofSeconds(8);
  private static final String POLICY = "faults-operator";

  private PolicyFaults() {}

  static List<Fault> all() {
    return List.of(
        policy("message-ttl", "{\"message-ttl\":500}"),
        policy("expires", "{\"expires\":2000}"), // deletes what nobody consumes, our hold queues
        policy("dead-letter-key", "{\"dead-letter-routing-key\":\"elsewhere\"}"));
  }

  private static Fault policy(String name, String definition) {
    return Fault.onNode(
        "policy-" + name,
        "a policy for .* says %s for 8 s; then all connect anew".formatted(definition),
        world -> {
          world.node().ctl("set_policy", "--apply-to", "queues", POLICY, ".*", definition);
          try {
            world.last(SET);
          } finally {
            world.node().ctl("clear_policy", POLICY);
          }
          // Queues of the application, and ours, may be among what expired. A publisher declares
          // its own whenever it connects.
          world.declareTargets();
          world.network().cut();
          world.network().mend();
        });
  }
}
