// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.lab.faults.catalogue.Fault.Place;
import io.pocketwatch.lab.faults.database.DatabaseSource;
import java.time.Duration;
import java.util.List;

/**
 * What an arena is to be made of.
 *
 * @param place how many nodes
 * @param hold type of the hold queues
 * @param database where it comes from
 * @param brokerVersion beginning of the wanted RabbitMQ version
 * @param brokerLines further lines of the broker's configuration
 * @param retention how long the store keeps finished messages among the others
 * @param linger how long a temporary queue is kept after its message is due
 */
record Ground(
    Place place,
    HoldQueueType hold,
    DatabaseSource database,
    String brokerVersion,
    List<String> brokerLines,
    Duration retention,
    Duration linger) {
  /** Longer than any round. */
  private static final Duration LONG = Duration.ofDays(7);

  private static final Duration LINGER = Duration.ofMinutes(5);

  /** For rounds. */
  static Ground of(Place place, HoldQueueType hold, DatabaseSource database, String brokerVersion) {
    return new Ground(place, hold, database, brokerVersion, List.of(), LONG, LINGER);
  }
}
