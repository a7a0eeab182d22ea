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
 * The loaders that are alive, for the health of processes that only store: without a loader, stored
 * messages stay in the store.
 *
 * @param alive the number of loaders with a recent heartbeat. A loader writes heartbeats only while
 *     it could load: connected to broker and store, its clock right
 * @param last the latest heartbeat of the last day
 */
public record LoaderPresence(int alive, Optional<LoaderHeartbeat> last) {
  /** The age from which a heartbeat no longer counts. */
  static final Duration QUIET = Duration.ofSeconds(40);

  /** The longest pause between two heartbeats. */
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
   * Whether the loader of this heartbeat counts as alive. Not with one far in the future: the
   * database's clock was set back, and a live loader has written another since.
   */
  public static boolean alive(LoaderHeartbeat beat, Instant now) {
    return Duration.between(beat.at(), now).abs().compareTo(QUIET) < 0;
  }

  public boolean anybody() {
    return alive > 0;
  }

  /** The owner of the one loader that does what only one should do; all come to the same answer. */
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
