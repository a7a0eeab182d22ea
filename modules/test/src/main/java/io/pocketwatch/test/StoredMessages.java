// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.test;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.tracking.TrackedPublisher;
import java.time.Duration;

/** Those with a row; whoever has no store needs none of these classes. */
final class StoredMessages {
  private static final boolean TRACKING = isPresent("io.pocketwatch.tracking.TrackedPublisher");

  private StoredMessages() {}

  static int advance(DelayedPublisher publisher, Duration time) {
    return TRACKING ? Rows.advance(publisher, time) : 0;
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
    static int advance(DelayedPublisher publisher, Duration time) {
      if (!(publisher instanceof TrackedPublisher)) {
        return 0;
      }
      DelayStore store = publisher.unwrap(DelayStore.class);
      if (store.getClass().getName().equals("io.pocketwatch.store.jdbc.JdbcDelayStore")) {
        return Tables.advance(store, time);
      }
      throw new IllegalStateException(
          "time is moved in a JdbcDelayStore, and not in " + store.describe());
    }
  }

  /** Loaded only where there is such a store. */
  private static final class Tables {
    static int advance(DelayStore store, Duration time) {
      return ((JdbcDelayStore) store).advance(time);
    }
  }
}
