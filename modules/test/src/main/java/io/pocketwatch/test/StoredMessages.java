// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.test;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.Phase;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.MovedTime;
import io.pocketwatch.tracking.TrackedPublisher;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Messages with a row. Without a store none of its classes are needed. */
final class StoredMessages {
  private static final boolean TRACKING = isPresent("io.pocketwatch.tracking.TrackedPublisher");
  private static final long LOOK_EVERY_MS = 20;

  private StoredMessages() {}

  /** Waits until no message is on its way to a hold queue, where it would keep its old instant. */
  static void awaitHandOffs(DelayedPublisher publisher, Duration patience)
      throws InterruptedException {
    long begun = System.nanoTime();
    for (int left = handedOffNow(publisher); left > 0; left = handedOffNow(publisher)) {
      if (System.nanoTime() - begun > patience.toNanos()) {
        throw new IllegalStateException(
            "time cannot be moved: after %s, this many messages are still on their way from the"
                    .formatted(DurationText.format(patience))
                + " store to a hold queue: "
                + left);
      }
      Thread.sleep(LOOK_EVERY_MS);
    }
  }

  private static int handedOffNow(DelayedPublisher publisher) {
    return TRACKING ? Rows.handedOffNow(publisher) : 0;
  }

  static int advance(DelayedPublisher publisher, Duration time) {
    return TRACKING ? Rows.advance(publisher, time) : 0;
  }

  static void clear(DelayedPublisher publisher) {
    if (TRACKING) {
      Rows.clear(publisher);
    }
  }

  /** The messages of the store that wait, for people. */
  static List<String> waiting(DelayedPublisher publisher) {
    return TRACKING ? Rows.waiting(publisher) : List.of();
  }

  private static boolean isPresent(String type) {
    try {
      Class.forName(type, false, StoredMessages.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** Loaded only where there is tracking. */
  private static final class Rows {
    static int handedOffNow(DelayedPublisher publisher) {
      return publisher instanceof TrackedPublisher ? Tables.handedOffNow(store(publisher)) : 0;
    }

    static int advance(DelayedPublisher publisher, Duration time) {
      return publisher instanceof TrackedPublisher ? Tables.advance(store(publisher), time) : 0;
    }

    static void clear(DelayedPublisher publisher) {
      if (publisher instanceof TrackedPublisher) {
        Tables.clear(store(publisher));
      }
    }

    static List<String> waiting(DelayedPublisher publisher) {
      if (!(publisher instanceof TrackedPublisher)) {
        return List.of();
      }
      DelayStore store = publisher.unwrap(DelayStore.class);
      Instant now = store.now();
      return store
          .summaries(MessageQuery.all().states(MessageState.PENDING, MessageState.HELD))
          .stream()
          .map(
              row ->
                  "in the store: %s, %s, due %s"
                      .formatted(
                          row.stored().key(),
                          Phase.of(row, now).description(),
                          row.stored().deliverAt()))
          .toList();
    }

    private static DelayStore store(DelayedPublisher publisher) {
      DelayStore store = publisher.unwrap(DelayStore.class);
      if (store.getClass().getName().equals("io.pocketwatch.store.jdbc.JdbcDelayStore")) {
        return store;
      }
      throw new IllegalStateException(
          "time is moved in a JdbcDelayStore, and not in " + store.describe());
    }
  }

  /** Loaded only where there is such a store. */
  private static final class Tables {
    static int handedOffNow(DelayStore store) {
      return MovedTime.of((JdbcDelayStore) store).handedOffNow();
    }

    static void clear(DelayStore store) {
      MovedTime.of((JdbcDelayStore) store).clear();
    }

    static int advance(DelayStore store, Duration time) {
      return MovedTime.of((JdbcDelayStore) store).advance(time);
    }
  }
}
