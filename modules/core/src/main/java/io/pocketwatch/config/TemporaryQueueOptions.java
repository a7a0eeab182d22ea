// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.internal.base.Ranges;
import java.time.Duration;

/** Limits of the one-queue-per-message strategy. */
public final class TemporaryQueueOptions {
  private final Builder values;

  private TemporaryQueueOptions(Builder builder) {
    values = builder.copy();
  }

  /**
   * 1,000 quorum queues with a day of grace, which are deleted seven minutes after they are due. By
   * default RabbitMQ tries a target that refused again after three.
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

  /** Sets options; those not named keep their defaults. One thread uses it. */
  public static final class Builder extends CopiedBuilder<Builder> {
    private int max = 1_000;
    private Duration grace = Duration.ofDays(1);
    private Duration linger = Duration.ofMinutes(7);
    private HoldQueues queues = HoldQueues.quorum();

    private Builder() {}

    /**
     * How many temporary queues one publisher keeps at a time, 1 to 10,000; above it a message is
     * rejected.
     */
    public Builder max(int max) {
      this.max = Ranges.within("max", max, 1, 10_000);
      return this;
    }

    /**
     * How long after its due time a queue may live if nobody deletes it, at least a day. An outage
     * longer than this loses the message with its queue.
     */
    public Builder grace(Duration grace) {
      this.grace = Ranges.within("grace", grace, "1d", "365d");
      return this;
    }

    /**
     * How long after the due time this publisher waits before it deletes the drained queue, 10 s to
     * 1 h. A quorum queue whose message is with the dead-letter worker looks empty while the target
     * still refuses it. So this is also how long a refusing target is waited for. The broker tries
     * again each {@code dead_letter_worker_publisher_confirm_timeout}, 3 min unless it is set;
     * allow for two of them.
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
