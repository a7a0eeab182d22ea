// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.loader.LoaderPresence;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks the store how it is, now and then. So whoever asks for our health neither waits for a dead
 * database nor asks a living one too often.
 */
final class StoreWatch implements Runnable {
  static final Duration EVERY = Duration.ofSeconds(5);

  /**
   * Longer than a free connection may take, which the pool waits 5 s for, and the questions then.
   */
  private static final Duration OUTDATED = Duration.ofSeconds(20);

  private final DelayStore store;
  private volatile Look look;

  /**
   * @throws StoreException if it does not answer now
   */
  StoreWatch(DelayStore store) {
    this.store = store;
    this.look = ask();
  }

  @Override
  public void run() {
    try {
      look = ask();
    } catch (StoreException e) {
      look = new Look(look.presence(), look.lag(), ErrorWords.of(e), System.nanoTime());
    }
  }

  private Look ask() {
    LoaderPresence presence = LoaderPresence.of(store);
    Instant now = store.now();
    List<MessageSummary> overdue =
        store.summaries(MessageQuery.all().states(MessageState.PENDING).due(null, now).limit(1));
    Duration lag =
        overdue.isEmpty()
            ? Duration.ZERO
            : Duration.between(overdue.get(0).stored().deliverAt(), now);
    return new Look(presence, lag, null, System.nanoTime());
  }

  String describe() {
    return store.describe();
  }

  Look look() {
    Look last = look;
    Duration age = Duration.ofNanos(System.nanoTime() - last.nanoTime());
    return last.error() == null && age.compareTo(OUTDATED) > 0
        ? new Look(
            last.presence(),
            last.lag(),
            "it has not answered for " + age.toSeconds() + " s",
            last.nanoTime())
        : last;
  }

  /**
   * What was seen.
   *
   * @param presence who loads, as last known
   * @param lag how long the longest due message has been waiting in the store, as last known
   * @param error why it was not seen now, or null
   * @param nanoTime when, on this JVM's clock
   */
  record Look(LoaderPresence presence, Duration lag, @Nullable String error, long nanoTime) {}
}
