// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.github.bucket4j.Bucket;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** So many messages per second, evenly; or without a limit. */
final class RateLimit {
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  private final @Nullable Bucket bucket;

  RateLimit(@Nullable Integer perSecond) {
    this.bucket =
        perSecond == null
            ? null
            : Bucket.builder()
                .addLimit(
                    limit ->
                        limit.capacity(perSecond).refillGreedy(perSecond, Duration.ofSeconds(1)))
                .build();
  }

  /** Takes up to so many tokens, waiting for at least one; none if told to stop. */
  int take(int wanted, BooleanSupplier stopping) {
    if (bucket == null) {
      return wanted;
    }
    try {
      while (!stopping.getAsBoolean()) {
        if (bucket.asBlocking().tryConsume(1, LOOK_EVERY)) {
          return wanted == 1 ? 1 : 1 + (int) bucket.tryConsumeAsMuchAsPossible(wanted - 1L);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return 0;
  }

  void giveBack(int unused) {
    if (bucket != null && unused > 0) {
      bucket.addTokens(unused);
    }
  }
}
