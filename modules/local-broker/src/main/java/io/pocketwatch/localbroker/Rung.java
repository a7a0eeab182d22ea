// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.util.function.Consumer;

/** A source of brokers. */
interface Rung {

  BrokerSource source();

  /** A running node that fits the options. */
  BrokerNode find(LocalBrokerOptions options, Consumer<String> listener)
      throws RungRefusedException;

  /** A running cluster of that many nodes. */
  default BrokerCluster cluster(LocalBrokerOptions options, int size, Consumer<String> listener)
      throws RungRefusedException {
    throw new RungRefusedException(
        "The source " + source().label() + " supplies no clusters",
        "Nothing to be done: they are started from installed or downloaded programs.");
  }
}
