// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.catalogue;

import java.time.Duration;
import java.util.List;

/** The broker's own process and disk. */
final class BrokerFaults {
  private static final Duration DOWN = Duration.ofSeconds(12);
  private static final Duration PAUSED = Duration.ofSeconds(30);

  private BrokerFaults() {}

  static List<Fault> all() {
    return List.of(
        Fault.onNode(
            "broker-killed",
            "the broker is killed (SIGKILL) and started again",
            world -> {
              world.node().kill();
              world.node().start();
            }),
        Fault.onNode(
            "broker-down",
            "the broker is killed and stays down for 12 s while messages fall due",
            world -> {
              world.node().kill();
              world.last(DOWN);
              world.node().start();
            }),
        Fault.onNode(
            "broker-wiped",
            "the broker is killed, loses its disk and starts empty",
            world -> {
              world.node().wipe();
              world.node().start();
              world.declareTargets();
            }),
        Fault.onNode(
            "broker-paused",
            "the broker's process is frozen (SIGSTOP) for 30 s",
            world -> {
              world.node().pause();
              try {
                world.last(PAUSED);
              } finally {
                world.node().resume();
              }
            }));
  }
}
