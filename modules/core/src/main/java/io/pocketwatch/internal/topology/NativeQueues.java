// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

/**
 * The quorum queues in which RabbitMQ 4.4 holds messages by itself. Several, because each is one
 * process on its leader, and all that is due in one of them leaves behind its head.
 */
public final class NativeQueues {
  /** How many there are. */
  public static final int COUNT = 4;

  private NativeQueues() {}

  /** The number of the queue for a message with that id, from 0. */
  public static int of(String id) {
    return Math.floorMod(id.hashCode(), COUNT);
  }
}
