// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.internal.base.Ranges;
import java.time.Duration;

/** The options of {@code TEMPORARY_QUEUE}, the strategy with one queue per message. */
public final class TemporaryQueueOptions {
  private final Builder values;

  private TemporaryQueueOptions(Builder builder) {
    values = builder.copy();
  }

  /**
   * The defaults: 1,000 quorum queues with a grace of a day, deleted 7 min after they are due.
   * RabbitMQ by default retries a target that refused after 3 min.
   */
  public static TemporaryQueueOptions defaults() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  public Builder toBuilder() {
    return values.copy();
  }

  public int max() {
    return values.max;
  }

  public Duration grace() {
    return values.grace;
  }

  public Duration linger() {
    return values.linger;
  }

  public HoldQueues queues() {
    return values.queues;
  }

  /** Sets options; the others keep their defaults. Not thread-safe. */
  public static final class Builder extends CopiedBuilder<Builder> {
    private int max = 1_000;
    private Duration grace = Duration.ofDays(1);
    private Duration linger = Duration.ofMinutes(7);
    private HoldQueues queues = HoldQueues.quorum();

    private Builder() {}

    /**
     * The most temporary queues of one publisher at a time, 1 to 10,000. Beyond that a message is
     * rejected.
     */
    public Builder max(int max) {
      this.max = Ranges.within("max", max, 1, 10_000);
      return this;
    }

    /**
     * How long after the due time a queue expires if it was not deleted, 1 d to 365 d. An outage
     * longer than this loses the message with its queue.
     */
    public Builder grace(Duration grace) {
      this.grace = Ranges.within("grace", grace, "1d", "365d");
      return this;
    }

    /**
     * How long after the due time this publisher waits before it deletes the drained queue, 10 s to
     * 1 h. A quorum queue whose message is with the dead-letter worker looks empty while the target
     * still refuses it. So this is also how long a target may refuse the message. The broker
     * retries each {@code dead_letter_worker_publisher_confirm_timeout}, 3 min by default; allow
     * for two of them.
     */
    public Builder linger(Duration linger) {
      this.linger = Ranges.within("linger", linger, "10s", "1h");
      return this;
    }

    /** The type of the queues. */
    public Builder queues(HoldQueues queues) {
      this.queues = queues;
      return this;
    }

    public TemporaryQueueOptions build() {
      return new TemporaryQueueOptions(this);
    }
  }
}
