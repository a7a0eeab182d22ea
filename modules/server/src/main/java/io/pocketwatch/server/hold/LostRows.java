// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.hold;

import io.pocketwatch.route.Tracking;
import io.pocketwatch.store.ChangeOutcome;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.MessageState;
import io.pocketwatch.store.StoredMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The tracked messages that may have been in a queue that is gone: held, and due before the longest
 * wait in it ends. Those that were elsewhere are sent again too, which the guard makes harmless.
 */
final class LostRows {
  private static final int PAGE = 1_000;

  private final DelayStore store;

  LostRows(DelayStore store) {
    this.store = store;
  }

  /** Gives them back to the loader. */
  int release(Duration longest) {
    List<StoredMessage> all = held(longest);
    int released = 0;
    for (StoredMessage each : all) {
      released += store.release(each.key()) == ChangeOutcome.DONE ? 1 : 0;
    }
    return released;
  }

  private List<StoredMessage> held(Duration longest) {
    List<StoredMessage> found = new ArrayList<>();
    MessageQuery next =
        MessageQuery.all()
            .states(MessageState.HELD)
            .due(null, store.now().plus(longest))
            .limit(PAGE);
    while (true) {
      List<StoredMessage> page = store.list(next);
      page.stream().filter(each -> each.message().tracking() == Tracking.FULL).forEach(found::add);
      if (page.size() < PAGE) {
        return found;
      }
      next = next.after(page.get(page.size() - 1));
    }
  }
}
