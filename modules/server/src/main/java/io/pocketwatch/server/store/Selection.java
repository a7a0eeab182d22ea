// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The messages to change.
 *
 * @param keys which ones, as they were found before the first is changed
 * @param what what was looked for, for when there is none
 */
record Selection(List<MessageKey> keys, String what) {
  private static final int PAGE = 1_000;

  static Selection one(@Nullable String route, @Nullable String id) {
    MessageKey key =
        new MessageKey(Objects.requireNonNull(route, "route"), Objects.requireNonNull(id, "id"));
    return new Selection(List.of(key), key.toString());
  }

  static Selection parked(DelayStore store, @Nullable String route) {
    return find(
        store,
        new MessageQuery(route, Set.of(MessageState.PARKED), null, null, null, null, null, PAGE),
        "parked message" + on(route));
  }

  static Selection unfinished(DelayStore store, String businessKey, @Nullable String route) {
    // Failed and parked ones can still be cancelled.
    Set<MessageState> states =
        EnumSet.complementOf(EnumSet.of(MessageState.SETTLED, MessageState.CANCELLED));
    return find(
        store,
        new MessageQuery(route, states, businessKey, null, null, null, null, PAGE),
        "message with business key '" + businessKey + "' that could be cancelled" + on(route));
  }

  private static String on(@Nullable String route) {
    return route == null ? "" : " on route " + route;
  }

  private static Selection find(DelayStore store, MessageQuery query, String what) {
    List<MessageKey> keys = new ArrayList<>();
    MessageQuery next = query;
    while (true) {
      List<StoredMessage> page = store.list(next);
      page.forEach(each -> keys.add(each.key()));
      if (page.size() < PAGE) {
        return new Selection(keys, what);
      }
      next = query.after(page.get(page.size() - 1));
    }
  }
}
