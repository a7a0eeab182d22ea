// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import com.rabbitmq.client.ConnectionFactory;

/** The heartbeat of our connections. */
public final class Heartbeats {
  /** RabbitMQ's guide on heartbeats recommends 5 to 20 seconds. */
  private static final int SECONDS = 10;

  private Heartbeats() {}

  /**
   * Limits the heartbeat of a factory, so that its connections end within 23 s after the last byte
   * from the broker. A shorter heartbeat stays. A longer one or none does not: a load balancer may
   * drop a connection without a word.
   */
  public static void limit(ConnectionFactory factory) {
    int asked = factory.getRequestedHeartbeat();
    factory.setRequestedHeartbeat(asked == 0 ? SECONDS : Math.min(asked, SECONDS));
  }
}
