// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

/** One way to come by a broker. */
interface Rung {

  BrokerSource source();

  /** A running node that fits the options. */
  BrokerNode find(LocalBrokerOptions options, LadderListener listener) throws RungRefusedException;

  /** A running cluster of that many nodes. */
  BrokerCluster cluster(LocalBrokerOptions options, int size, LadderListener listener)
      throws RungRefusedException;
}
