// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The clock of the node that leads a hold queue, against this machine's, as a probe shows it. The
 * node notes in whole seconds when it dead-letters the probe; this machine's clock says when it was
 * sent and came back. So this is a lower bound: the clock may be off by a second more, plus the
 * probe's travel time.
 *
 * @param queue the hold queue
 * @param ahead by how much, at least, the node's clock is ahead; negative if it is behind
 */
public record BrokerClock(String queue, Duration ahead) {
  /** The largest difference that is not worth a warning. */
  public static final Duration LIMIT = Duration.ofSeconds(2);

  private static final Duration RESOLUTION = Duration.ofSeconds(1);

  /**
   * Reads the headers of a probe; empty if they do not say that it was in that queue.
   *
   * @param sent when the probe was sent, or earlier
   * @param arrived when the probe had come back
   */
  public static Optional<BrokerClock> of(
      @Nullable Map<String, Object> headers, String queue, Instant sent, Instant arrived) {
    if (headers == null || !(headers.get("x-death") instanceof List<?> deaths)) {
      return Optional.empty();
    }
    for (Object death : deaths) {
      if (death instanceof Map<?, ?> entry
          && queue.equals(String.valueOf(entry.get("queue")))
          && entry.get("time") instanceof Date time) {
        return Optional.of(new BrokerClock(queue, ahead(time.toInstant(), sent, arrived)));
      }
    }
    return Optional.empty();
  }

  private static Duration ahead(Instant time, Instant sent, Instant arrived) {
    Duration atLeast = Duration.between(arrived, time);
    Duration atMost = Duration.between(sent, time.plus(RESOLUTION));
    if (atLeast.isNegative()) {
      return atMost.isNegative() ? atMost : Duration.ZERO;
    }
    return atLeast;
  }

  /** The clock that is off by the most. */
  public static Optional<BrokerClock> furthest(Collection<BrokerClock> clocks) {
    return clocks.stream().max(Comparator.comparing(clock -> clock.ahead.abs()));
  }

  /** Whether the clock is off by more than {@link #LIMIT}. */
  public boolean isWrong() {
    return ahead.abs().compareTo(LIMIT) > 0;
  }

  /** A sentence for a person. */
  public String description() {
    return "the broker's clock is at least %s s %s this machine's, at the node that leads %s"
        .formatted(ahead.abs().toSeconds(), ahead.isNegative() ? "behind" : "ahead of", queue);
  }
}
