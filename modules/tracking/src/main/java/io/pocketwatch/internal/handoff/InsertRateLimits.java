// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import io.github.bucket4j.Bucket;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The routes' insert limits in this process. Needs bucket4j only where a route has one. */
public final class InsertRateLimits {
  private final Map<String, Limit> limits = new HashMap<>();

  /**
   * @throws IllegalStateException if a route has a limit and the library is not there
   */
  public InsertRateLimits(DelayRoutes routes) {
    try {
      routes
          .all()
          .forEach(
              route -> {
                Integer perSecond = route.insertLimit();
                if (perSecond != null) {
                  limits.put(route.name(), new Limit(perSecond));
                }
              });
    } catch (NoClassDefFoundError e) {
      throw new IllegalStateException(
          "an insert-limit needs com.bucket4j:bucket4j_jdk17-core on the class path", e);
    }
  }

  /** Whether one more row of this route may be inserted now. */
  boolean allow(DelayRoute route) {
    Limit limit = limits.get(route.name());
    return limit == null || limit.allow();
  }

  /** Apart, so that the library is loaded only when it is needed. */
  private static final class Limit {
    private final Bucket bucket;

    Limit(int perSecond) {
      bucket =
          Bucket.builder()
              .addLimit(
                  limit -> limit.capacity(perSecond).refillGreedy(perSecond, Duration.ofSeconds(1)))
              .build();
    }

    boolean allow() {
      return bucket.tryConsume(1);
    }
  }
}
