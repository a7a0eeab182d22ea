// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import com.rabbitmq.client.ConnectionFactory;

/** How soon a connection of ours notices that nothing is heard on it any more. */
public final class Heartbeats {
  /** RabbitMQ's guide on heartbeats recommends 5 to 20. */
  private static final int SECONDS = 10;

  private Heartbeats() {}

  /**
   * Has connections of a factory end within 23 s after the last byte from the broker: the client
   * waits for two heartbeats. A shorter one stays. A longer one or none does not, since a load
   * balancer that forgets a connection tells nobody.
   */
  public static void limit(ConnectionFactory factory) {
    int asked = factory.getRequestedHeartbeat();
    factory.setRequestedHeartbeat(asked == 0 ? SECONDS : Math.min(asked, SECONDS));
  }
}
