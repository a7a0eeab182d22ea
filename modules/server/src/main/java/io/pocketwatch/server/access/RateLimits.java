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
 * Limits the rate of each key, with bursts of at most one second's worth. Remembers the 10,000 keys
 * used last; a forgotten key begins anew.
 */
public final class RateLimits {
  private static final int REMEMBERED = 10_000;

  private final int perSecond;
  private final LoadingCache<String, Bucket> buckets =
      Caffeine.newBuilder().maximumSize(REMEMBERED).build(key -> fresh());

  public RateLimits(int perSecond) {
    this.perSecond = perSecond;
  }

  /** Takes one; else returns how long to wait for it. */
  Optional<Duration> take(String key) {
    ConsumptionProbe probe = bucket(key).tryConsumeAndReturnRemaining(1);
    return probe.isConsumed()
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(probe.getNanosToWaitForRefill()));
  }

  /**
   * Takes one for a message of a caller on a route.
   *
   * @throws Problem if the limit is reached
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

  /** Whether the limit of a key is reached. */
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
