// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.HoldQueues;
import io.pocketwatch.config.TemporaryQueueOptions;
import io.pocketwatch.config.WheelOptions;
import java.time.Duration;
import java.util.stream.Stream;

/** What the contract runs have in common. */
final class ContractBrokers {
  private ContractBrokers() {}

  /**
   * The broker versions to run against: the newest in a plain build, with the oldest in others, or
   * {@code -Dpocketwatch.it.versions=3.10,4.0,4.3}.
   */
  static Stream<String> versions() {
    return Stream.of(System.getProperty("pocketwatch.it.versions", "3.10,4.3").split(","));
  }

  /** A wheel of an hour with many narrow hands: 47 queues instead of 271, and more hops. */
  static HoldOptions smallHold(HoldQueues queues) {
    return HoldOptions.builder()
        .wheel(
            WheelOptions.builder()
                .maxDelay(Duration.ofHours(1))
                .hands(
                    Stream.of(600_000, 60_000, 10_000, 1_000, 100, 10)
                        .map(Duration::ofMillis)
                        .toList())
                .queues(queues)
                .build())
        .ttlQueues(queues)
        .temporaryQueues(
            TemporaryQueueOptions.builder().linger(Duration.ofSeconds(10)).queues(queues).build())
        .build();
  }
}
