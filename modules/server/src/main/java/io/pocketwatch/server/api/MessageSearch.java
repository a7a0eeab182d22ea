// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.Found;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.OverviewStore.SearchPlace;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A search for a part of an id or business key, for a second. */
final class MessageSearch {
  private static final Duration PER_REQUEST = Duration.ofSeconds(1);

  private final DelayStore store;
  private final Caller caller;
  private final String part;
  private final MessageQuery filter;
  private final Map<MessageKey, MessageSummary> found = new LinkedHashMap<>();
  private @Nullable SearchPlace place;

  /**
   * @param filter what is found matches it too; its limit is how many are enough
   */
  MessageSearch(
      DelayStore store,
      Caller caller,
      String part,
      MessageQuery filter,
      @Nullable SearchPlace place) {
    this.store = store;
    this.caller = caller;
    this.part = part;
    this.filter = filter;
    this.place = place;
  }

  /** Goes on until enough are found, all is looked at, or the time is up. */
  void run() {
    long end = System.nanoTime() + PER_REQUEST.toNanos();
    do {
      Found look = store.search(part, filter.route(), place, room());
      place = look.next();
      look.ids().forEach(key -> store.summary(key).ifPresent(this::add));
      for (String businessKey : look.businessKeys()) {
        store.summaries(filter.businessKey(businessKey).limit(room())).forEach(this::add);
        if (found.size() >= filter.limit()) {
          place = new SearchPlace(null, businessKey);
          break;
        }
      }
    } while (place != null && found.size() < filter.limit() && System.nanoTime() - end < 0);
  }

  private int room() {
    return Math.max(1, filter.limit() - found.size());
  }

  private void add(MessageSummary each) {
    if (filter.matches(each.stored()) && caller.sees(each.stored().key().route())) {
      found.put(each.stored().key(), each);
    }
  }

  Collection<MessageSummary> found() {
    return found.values();
  }

  /** Where to go on; null if all is looked at. */
  @Nullable SearchPlace next() {
    return place;
  }
}
