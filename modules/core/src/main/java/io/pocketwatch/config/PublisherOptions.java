// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.internal.base.DurationText;
import java.time.Duration;

/**
 * How a publisher talks to the broker.
 *
 * @param channels channels it publishes on, 1 to 64
 * @param maxInFlight messages sent and not yet answered, 1 to 100,000; at the limit publish calls
 *     wait instead of filling memory
 * @param confirmTimeout how long to wait for a free place in flight and for the broker's answer, 1
 *     s to 10 min
 * @param maxBodySize the largest payload in bytes; not above the broker's {@code max_message_size}
 *     (16 MiB from RabbitMQ 4.0, 128 MiB before), which would close the channel
 */
public record PublisherOptions(
    int channels, int maxInFlight, Duration confirmTimeout, int maxBodySize) {
  public PublisherOptions {
    Ranges.require(channels >= 1 && channels <= 64, "channels " + channels, "1 to 64");
    Ranges.require(
        maxInFlight >= 1 && maxInFlight <= 100_000, "max-in-flight " + maxInFlight, "1 to 100000");
    Ranges.require(
        confirmTimeout.compareTo(Duration.ofSeconds(1)) >= 0
            && confirmTimeout.compareTo(Duration.ofMinutes(10)) <= 0,
        "confirm-timeout " + DurationText.format(confirmTimeout),
        "1s to 10m");
    Ranges.require(
        maxBodySize >= 0 && maxBodySize <= 512 << 20,
        "max-body-size " + maxBodySize,
        "0 to 536870912");
  }

  /** Four channels, 2,000 messages in flight, 30 s, 16 MiB. */
  public static PublisherOptions defaults() {
    return new PublisherOptions(4, 2_000, Duration.ofSeconds(30), 16 << 20);
  }

  public PublisherOptions withChannels(int channels) {
    return new PublisherOptions(channels, maxInFlight, confirmTimeout, maxBodySize);
  }

  public PublisherOptions withMaxInFlight(int maxInFlight) {
    return new PublisherOptions(channels, maxInFlight, confirmTimeout, maxBodySize);
  }

  public PublisherOptions withConfirmTimeout(Duration confirmTimeout) {
    return new PublisherOptions(channels, maxInFlight, confirmTimeout, maxBodySize);
  }

  public PublisherOptions withMaxBodySize(int maxBodySize) {
    return new PublisherOptions(channels, maxInFlight, confirmTimeout, maxBodySize);
  }
}
