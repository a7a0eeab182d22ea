// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.route;

import java.util.regex.Pattern;

/**
 * Where and how messages are held on the broker.
 *
 * @param namePrefix first part of the name of every exchange and queue of ours; one per trust
 *     domain. 1 to 60 letters, digits, {@code _}, {@code -} or dots.
 * @param topology how much of it this process may declare
 * @param wheel the queue wheel
 * @param ttlQueues the type of the queues behind configured delays
 * @param temporaryQueues limits of the one-queue-per-message strategy
 * @param nativeMode whether RabbitMQ 4.4's own delay takes the wheel's place where it works
 */
public record HoldOptions(
    String namePrefix,
    TopologyMode topology,
    WheelOptions wheel,
    HoldQueues ttlQueues,
    TemporaryQueueOptions temporaryQueues,
    NativeMode nativeMode) {
  private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9_.-]{1,60}");

  public HoldOptions {
    if (!PREFIX.matcher(namePrefix).matches()
        || namePrefix.startsWith("amq.")
        || namePrefix.startsWith("pw-")) {
      throw new IllegalArgumentException(
          "name-prefix '"
              + namePrefix
              + "' is not usable; allowed: 1 to 60 letters, digits, '_', '-', '.',"
              + " not beginning with amq. or pw-");
    }
  }

  /** The prefix {@code pocketwatch}, declared by the publisher, quorum queues throughout. */
  public static HoldOptions defaults() {
    return new HoldOptions(
        "pocketwatch",
        TopologyMode.DECLARE,
        WheelOptions.defaults(),
        HoldQueues.quorum(),
        TemporaryQueueOptions.defaults(),
        NativeMode.OFF);
  }

  public HoldOptions withNamePrefix(String namePrefix) {
    return new HoldOptions(namePrefix, topology, wheel, ttlQueues, temporaryQueues, nativeMode);
  }

  public HoldOptions withTopology(TopologyMode topology) {
    return new HoldOptions(namePrefix, topology, wheel, ttlQueues, temporaryQueues, nativeMode);
  }

  public HoldOptions withWheel(WheelOptions wheel) {
    return new HoldOptions(namePrefix, topology, wheel, ttlQueues, temporaryQueues, nativeMode);
  }

  public HoldOptions withTtlQueues(HoldQueues ttlQueues) {
    return new HoldOptions(namePrefix, topology, wheel, ttlQueues, temporaryQueues, nativeMode);
  }

  public HoldOptions withTemporaryQueues(TemporaryQueueOptions temporaryQueues) {
    return new HoldOptions(namePrefix, topology, wheel, ttlQueues, temporaryQueues, nativeMode);
  }

  public HoldOptions withNativeMode(NativeMode nativeMode) {
    return new HoldOptions(namePrefix, topology, wheel, ttlQueues, temporaryQueues, nativeMode);
  }
}
