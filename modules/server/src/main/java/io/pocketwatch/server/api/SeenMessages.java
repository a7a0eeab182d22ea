// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.StoredMessage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The stored messages that a caller sees. */
record SeenMessages(DelayStore store, Caller caller) {
  private static final Comparator<MessageSummary> ORDER =
      Comparator.comparing(
          MessageSummary::stored,
          Comparator.comparing(StoredMessage::deliverAt)
              .thenComparing(StoredMessage::key, Comparator.comparing(MessageKey::route))
              .thenComparing(StoredMessage::key, Comparator.comparing(MessageKey::id)));

  /**
   * A page of them.
   *
   * @throws ProblemException if the query names a route that the caller does not see
   */
  List<MessageSummary> page(MessageQuery query) {
    if (query.route() != null) {
      caller.requireRoute(query.route());
    }
    if (query.route() != null || caller.routes().isEmpty()) {
      return store.summaries(query);
    }
    List<MessageSummary> found = new ArrayList<>();
    for (String route : caller.routes()) {
      found.addAll(store.summaries(query.route(route)));
      found.sort(ORDER);
      if (found.size() > query.limit()) { // or all routes' pages would be in memory
        found.subList(query.limit(), found.size()).clear();
      }
    }
    return found;
  }
}
