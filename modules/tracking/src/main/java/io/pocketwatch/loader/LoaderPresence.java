// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.LoadingStore.LoaderHeartbeat;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Whether anybody loads, for the health of those who only store: without a loader what they store
 * stays there.
 *
 * @param alive how many loaders have shown a sign of life lately. One shows it only while it could
 *     load: connected to broker and store, its clock right
 * @param last the latest sign of life of the last day
 */
public record LoaderPresence(int alive, Optional<LoaderHeartbeat> last) {
  /** A loader that has been quiet for longer does not count. */
  static final Duration QUIET = Duration.ofSeconds(40);

  /** Between two signs of life at most. */
  static final Duration BEAT = Duration.ofSeconds(10);

  /**
   * Asks the store.
   *
   * @throws io.pocketwatch.store.StoreException if it does not answer
   */
  public static LoaderPresence of(DelayStore store) {
    return of(store.heartbeats(), store.now());
  }

  static LoaderPresence of(List<LoaderHeartbeat> heartbeats, Instant now) {
    return new LoaderPresence(
        alive(heartbeats, now).size(),
        heartbeats.stream().max(Comparator.comparing(LoaderHeartbeat::at)));
  }

  /**
   * Whether one that gave this sign of life counts as alive. One from the future does not: the
   * database's clock was set back, and who lives has given another one since.
   */
  public static boolean alive(LoaderHeartbeat beat, Instant now) {
    return Duration.between(beat.at(), now).abs().compareTo(QUIET) < 0;
  }

  public boolean anybody() {
    return alive > 0;
  }

  /** Which of those alive does what one alone should do; all of them come to the same answer. */
  static Optional<String> first(List<LoaderHeartbeat> heartbeats, Instant now) {
    return alive(heartbeats, now).stream().min(Comparator.naturalOrder());
  }

  private static List<String> alive(List<LoaderHeartbeat> heartbeats, Instant now) {
    return heartbeats.stream()
        .filter(beat -> alive(beat, now))
        .map(LoaderHeartbeat::owner)
        .toList();
  }
}
