// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.pocketwatch.server.access.Caller;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.Found;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.OverviewStore.SearchPlace;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A search for a part of an id or business key, for two seconds. */
final class MessageSearch {
  private static final Duration PER_REQUEST = Duration.ofSeconds(2);

  private final DelayStore store;
  private final Function<MessageQuery, List<MessageSummary>> pages;
  private final String part;
  private final MessageQuery filter;
  private final Instant now;

  /** The routes whose ids are searched, one after another; empty for all at once. */
  private final TreeSet<String> routes;

  private final Map<MessageKey, MessageSummary> found = new LinkedHashMap<>();
  private @Nullable Place place;

  /**
   * How far a search has come.
   *
   * @param done the last id or business key that was searched
   * @param within the last message taken of a business key that has more
   */
  record Place(SearchPlace done, MessageQuery.@Nullable Cursor within) {}

  /**
   * @param pages reads the messages of a query that the caller may see
   * @param filter must match too; its limit is how many messages are enough
   */
  MessageSearch(
      DelayStore store,
      Caller caller,
      Function<MessageQuery, List<MessageSummary>> pages,
      String part,
      MessageQuery filter,
      @Nullable Place place) {
    this.store = store;
    this.pages = pages;
    this.part = part;
    this.filter = filter;
    this.now = store.now();
    this.routes = new TreeSet<>(filter.route() == null ? caller.routes() : List.of(filter.route()));
    this.place = place;
  }

  /** Searches until enough are found, everything was searched, or the time is up. */
  void run() {
    long end = System.nanoTime() + PER_REQUEST.toNanos();
    BooleanSupplier enough = () -> found.size() >= filter.limit() || System.nanoTime() - end >= 0;
    do {
      look(enough);
    } while (place != null && !enough.getAsBoolean());
  }

  private void look(BooleanSupplier enough) {
    SearchPlace done = place == null ? null : place.done();
    if (done == null || done.route() != null) {
      place = new Place(ids(done), null);
    } else if (place != null && place.within() != null) {
      place = add(done.text(), place.within());
    } else {
      place = businessKeys(done, enough);
    }
  }

  /** Where to go on. */
  private SearchPlace ids(@Nullable SearchPlace done) {
    String from = done == null || done.route() == null ? "" : done.route();
    @Nullable String route = routes.ceiling(from); // a cursor names what a client likes
    if (!routes.isEmpty() && route == null) {
      return new SearchPlace(null, "");
    }
    Found look =
        store.search(part, route, route == null || route.equals(from) ? done : null, room());
    look.ids().forEach(key -> store.summary(key).ifPresent(this::add));
    SearchPlace next = look.next();
    if (next != null && next.route() != null) {
      return next;
    }
    return new SearchPlace(route == null ? null : routes.higher(route), "");
  }

  private @Nullable Place businessKeys(SearchPlace done, BooleanSupplier enough) {
    Found look = store.search(part, filter.route(), done, room());
    for (String each : look.businessKeys()) {
      Place here = add(each, null);
      if (here.within() != null || enough.getAsBoolean()) {
        return here;
      }
    }
    return look.next() == null ? null : new Place(look.next(), null);
  }

  /** As far as there is room: the next page goes on within the key, so that none is skipped. */
  private Place add(String businessKey, MessageQuery.@Nullable Cursor behind) {
    MessageQuery query = filter.businessKey(businessKey).limit(room());
    List<MessageSummary> some = pages.apply(behind == null ? query : query.after(behind));
    some.forEach(this::add);
    return new Place(
        new SearchPlace(null, businessKey),
        some.size() < query.limit()
            ? null
            : MessageQuery.Cursor.of(some.get(some.size() - 1).stored()));
  }

  private int room() {
    return Math.max(1, filter.limit() - found.size());
  }

  private void add(MessageSummary each) {
    if (filter.matches(each.stored(), now)) {
      found.put(each.stored().key(), each);
    }
  }

  Collection<MessageSummary> found() {
    return found.values();
  }

  /** Where to go on; null if all is looked at. */
  @Nullable Place next() {
    return place;
  }
}
