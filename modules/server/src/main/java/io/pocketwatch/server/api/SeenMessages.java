// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.StoredMessage;
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
    return caller.routes().stream()
        .flatMap(route -> store.summaries(query.route(route)).stream())
        .sorted(ORDER)
        .limit(query.limit())
        .toList();
  }
}
