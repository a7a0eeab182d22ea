// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.access;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.server.http.ProblemType;
import java.time.Duration;
import java.util.Optional;

/**
 * So much a second for each key, and at most one second's worth at once. Remembers the keys used
 * last; one that was forgotten begins anew.
 */
public final class RateLimits {
  private static final int REMEMBERED = 10_000;

  private final int perSecond;
  private final LoadingCache<String, Bucket> buckets =
      Caffeine.newBuilder().maximumSize(REMEMBERED).build(key -> fresh());

  public RateLimits(int perSecond) {
    this.perSecond = perSecond;
  }

  /** Takes one; or says how long to wait for it. */
  Optional<Duration> take(String key) {
    ConsumptionProbe probe = bucket(key).tryConsumeAndReturnRemaining(1);
    return probe.isConsumed()
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(probe.getNanosToWaitForRefill()));
  }

  /**
   * Takes one for a message of a caller on a route.
   *
   * @throws Problem if there is none just now
   */
  public void requireMessage(Caller caller, String route) {
    Optional<Duration> wait = take(caller.client() + " " + route);
    if (wait.isPresent()) {
      throw Problem.of(
              ProblemType.RATE_LIMITED,
              "over %s messages per second on route '%s' (pocketwatch.server.limits.schedules)"
                  .formatted(perSecond, route))
          .retryAfter(wait.get());
    }
  }

  /** Takes some that were sent already: who has taken more than there are waits the longer. */
  public void charge(Caller caller, String route, long messages) {
    if (messages > 0) {
      bucket(caller.client() + " " + route).consumeIgnoringRateLimits(messages);
    }
  }

  /** Whether there is none to take just now. */
  boolean isExhausted(String key) {
    return bucket(key).getAvailableTokens() == 0;
  }

  private Bucket bucket(String key) {
    return buckets.get(key);
  }

  private Bucket fresh() {
    return Bucket.builder()
        .addLimit(limit -> limit.capacity(perSecond).refillGreedy(perSecond, Duration.ofSeconds(1)))
        .build();
  }
}
