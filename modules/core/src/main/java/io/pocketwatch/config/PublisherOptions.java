// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.internal.base.Ranges;
import java.time.Duration;

/** The options of a publisher's channels and messages in flight. */
public final class PublisherOptions {
  private final Builder values;

  private PublisherOptions(Builder builder) {
    values = builder.copy();
  }

  /** 4 channels, 2,000 messages in flight, a confirm timeout of 30 s, bodies of up to 16 MiB. */
  public static PublisherOptions defaults() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  public Builder toBuilder() {
    return values.copy();
  }

  public int channels() {
    return values.channels;
  }

  public int maxInFlight() {
    return values.maxInFlight;
  }

  public Duration confirmTimeout() {
    return values.confirmTimeout;
  }

  public int maxBodySize() {
    return values.maxBodySize;
  }

  /** Sets options; the others keep their defaults. Not thread-safe. */
  public static final class Builder extends CopiedBuilder<Builder> {
    private int channels = 4;
    private int maxInFlight = 2_000;
    private Duration confirmTimeout = Duration.ofSeconds(30);
    private int maxBodySize = 16 << 20;

    private Builder() {}

    /** The number of channels to publish on, 1 to 64. */
    public Builder channels(int channels) {
      this.channels = Ranges.within("channels", channels, 1, 64);
      return this;
    }

    /**
     * The most messages in flight, 1 to 100,000. At the limit publish calls wait instead of filling
     * memory.
     */
    public Builder maxInFlight(int maxInFlight) {
      this.maxInFlight = Ranges.within("max-in-flight", maxInFlight, 1, 100_000);
      return this;
    }

    /** The longest wait for a free place in flight, and for the broker's answer; 1 s to 10 min. */
    public Builder confirmTimeout(Duration confirmTimeout) {
      this.confirmTimeout = Ranges.within("confirm-timeout", confirmTimeout, "1s", "10m");
      return this;
    }

    /**
     * The largest payload in bytes, 0 to 512 MiB. Above its {@code max_message_size} (16 MiB from
     * RabbitMQ 4.0, 128 MiB before) the broker would close the channel.
     */
    public Builder maxBodySize(int maxBodySize) {
      this.maxBodySize = Ranges.within("max-body-size", maxBodySize, 0, 512 << 20);
      return this;
    }

    public PublisherOptions build() {
      return new PublisherOptions(this);
    }
  }
}
