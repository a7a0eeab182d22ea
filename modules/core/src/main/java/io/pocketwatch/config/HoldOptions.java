// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.internal.base.DurationText;
import java.time.Duration;
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

  /** Whether RabbitMQ 4.4's own delay takes the place of the wheel where it works. */
  public enum NativeMode {
    /** Used in place of the wheel on each connection on which a probe of it passes. */
    AUTO,

    /** Used only for routes that name {@code DELIVERY_TIME}. */
    OFF
  }

  /** How much of the topology a publisher may touch. */
  public enum TopologyMode {
    /** Declare what is missing; refuse to start where something differs. */
    DECLARE,

    /**
     * Check that exchanges and queues exist, declare and bind nothing. Destinations must have been
     * bound by somebody else; write permission on our exchanges is enough to publish.
     */
    VERIFY,

    /** Ask the broker nothing. */
    ASSUME
  }

  /**
   * Limits of the one-queue-per-message strategy.
   *
   * @param max how many temporary queues one publisher keeps at a time, 1 to 10,000; above it a
   *     message is rejected
   * @param grace how long after its due time a queue may live if nobody deletes it, at least a day:
   *     an outage longer than this loses the message with its queue
   * @param linger how long after the due time this publisher waits before it deletes the drained
   *     queue, 10 s to 1 h. A quorum queue that has handed its message to the dead-letter worker
   *     looks empty while the target still refuses it, so this is also how long a refusing target
   *     is waited for. The broker tries again each {@code
   *     dead_letter_worker_publisher_confirm_timeout}, 3 min unless it is set: allow for two of
   *     them.
   * @param queues the type of the queues
   */
  public record TemporaryQueueOptions(int max, Duration grace, Duration linger, HoldQueues queues) {
    public TemporaryQueueOptions {
      Ranges.require(max >= 1 && max <= 10_000, "max " + max, "1 to 10000");
      Ranges.require(
          grace.compareTo(Duration.ofDays(1)) >= 0 && grace.compareTo(Duration.ofDays(365)) <= 0,
          "grace " + DurationText.format(grace),
          "1d to 365d");
      Ranges.require(
          linger.compareTo(Duration.ofSeconds(10)) >= 0
              && linger.compareTo(Duration.ofHours(1)) <= 0,
          "linger " + DurationText.format(linger),
          "10s to 1h");
    }

    /**
     * 1,000 quorum queues, a day of grace, deleted seven minutes after they are due: RabbitMQ's
     * default is to try a target that refused again after three.
     */
    public static TemporaryQueueOptions defaults() {
      return new TemporaryQueueOptions(
          1_000, Duration.ofDays(1), Duration.ofMinutes(7), HoldQueues.quorum());
    }

    public TemporaryQueueOptions withMax(int max) {
      return new TemporaryQueueOptions(max, grace, linger, queues);
    }

    public TemporaryQueueOptions withGrace(Duration grace) {
      return new TemporaryQueueOptions(max, grace, linger, queues);
    }

    public TemporaryQueueOptions withLinger(Duration linger) {
      return new TemporaryQueueOptions(max, grace, linger, queues);
    }

    public TemporaryQueueOptions withQueues(HoldQueues queues) {
      return new TemporaryQueueOptions(max, grace, linger, queues);
    }
  }
}
