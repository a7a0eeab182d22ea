// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.route;

import java.time.Duration;

/**
 * Limits of the one-queue-per-message strategy.
 *
 * @param max how many temporary queues one publisher keeps at a time, 1 to 10,000; above it a
 *     message is rejected
 * @param grace how long after its due time a queue may live if nobody deletes it, at least a day:
 *     an outage longer than this loses the message with its queue
 * @param linger how long after the due time this publisher waits before it deletes the drained
 *     queue, 10 s to 1 h. A quorum queue that has handed its message to the dead-letter worker
 *     looks empty while the target still refuses it, so this is also how long a refusing target is
 *     waited for. The broker tries again each {@code dead_letter_worker_publisher_confirm_timeout},
 *     3 min unless it is set: allow for two of them.
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
        linger.compareTo(Duration.ofSeconds(10)) >= 0 && linger.compareTo(Duration.ofHours(1)) <= 0,
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
