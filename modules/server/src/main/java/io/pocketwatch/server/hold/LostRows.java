// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.hold;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.server.store.MessageChanges;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.util.List;

/**
 * The tracked messages that may have been in a queue that is gone: held, and due before the longest
 * wait in it ends. Those that were elsewhere are sent again too, which the guard makes harmless.
 */
final class LostRows {
  private static final int PAGE = 1_000;

  private final DelayStore store;
  private final int page;

  LostRows(DelayStore store) {
    this(store, PAGE);
  }

  LostRows(DelayStore store, int page) {
    this.store = store;
    this.page = page;
  }

  /** Gives them back to the loader, page by page, and returns how many they were. */
  int release(Duration longest) {
    MessageQuery next =
        MessageQuery.all()
            .states(MessageState.HELD)
            .due(null, store.now().plus(longest))
            .limit(page);
    int released = 0;
    while (true) {
      List<MessageSummary> rows = store.summaries(next);
      for (MessageSummary each : rows) {
        released += isReleased(each.stored()) ? 1 : 0;
      }
      if (rows.size() < page) {
        return released;
      }
      next =
          next.after(
              rows.get(rows.size() - 1).stored()); // a released one leaves the list behind us
    }
  }

  private boolean isReleased(StoredMessage row) {
    return row.message().tracking() == Tracking.FULL
        && store.release(row.key(), MessageChanges.thisUser()) == ChangeOutcome.DONE;
  }
}
