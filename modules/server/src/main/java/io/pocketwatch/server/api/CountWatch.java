// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.server.http.CachedAnswers;
import io.pocketwatch.server.http.ProblemOfFailure;
import io.pocketwatch.server.view.StateCounts;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts messages by state from time to time; more often while clients ask. */
final class CountWatch implements Runnable {
  static final Duration EVERY = Duration.ofSeconds(2);

  private static final Logger LOG = LoggerFactory.getLogger("serve");
  private static final long SELDOM = Duration.ofSeconds(15).toNanos();
  private static final long LOOKS_FOR = Duration.ofSeconds(30).toNanos();

  private final Backend backend;
  private final CachedAnswers<Boolean, StateCounts> counts;
  private volatile StateCounts latest = StateCounts.of(Instant.EPOCH, Map.of(), Stream.empty());
  private volatile long lookedAt;
  private volatile long countedAt;

  CountWatch(Backend backend) {
    this.backend = backend;
    this.counts = new CachedAnswers<>(1, EVERY, each -> count());
    this.lookedAt = System.nanoTime() - LOOKS_FOR;
    this.countedAt = System.nanoTime() - SELDOM;
  }

  private StateCounts count() {
    StateCounts fresh =
        StateCounts.of(
            backend.store().now(),
            backend.store().countsByState(),
            backend.routes().all().map(DelayRoute::name));
    countedAt = System.nanoTime();
    latest = fresh;
    ProblemOfFailure.storeThere();
    return fresh;
  }

  @Override
  public void run() {
    long now = System.nanoTime();
    if (now - lookedAt > LOOKS_FOR && now - countedAt < SELDOM) {
      return;
    }
    try {
      counts.get(true);
    } catch (StoreException e) {
      LOG.debug("The counts stay as they are", e);
    }
  }

  /** Counts at most two seconds old, or older if counting takes long. */
  StateCounts fresh() {
    lookedAt = System.nanoTime();
    return counts.get(true);
  }

  /** As last counted, whenever that was; before the first time at the epoch. */
  StateCounts latest() {
    lookedAt = System.nanoTime();
    return latest;
  }
}
