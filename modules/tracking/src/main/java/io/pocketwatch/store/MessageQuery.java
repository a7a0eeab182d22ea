// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Instant;
import java.util.Comparator;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A query for stored messages. A null or empty part does not restrict it.
 *
 * @param route only this route
 * @param states only these states
 * @param businessKey only this business key
 * @param reason only those with exactly this reason
 * @param from due at or after
 * @param until due before
 * @param overdue only those that are {@linkplain StoredMessage#overdue overdue}
 * @param latestFirst in the opposite order
 * @param after continue behind this message, for paging that stays stable while rows move
 * @param limit at most so many, 1 to 10,000
 */
public record MessageQuery(
    @Nullable String route,
    Set<MessageState> states,
    @Nullable String businessKey,
    @Nullable String reason,
    @Nullable Instant from,
    @Nullable Instant until,
    boolean overdue,
    boolean latestFirst,
    @Nullable Cursor after,
    int limit) {
  public MessageQuery {
    states = Set.copyOf(states);
    if (limit < 1 || limit > 10_000) {
      throw new IllegalArgumentException("limit " + limit + "; allowed: 1 to 10000");
    }
  }

  /** Everything, 100 at a time. */
  public static MessageQuery all() {
    return new MessageQuery(null, Set.of(), null, null, null, null, false, false, null, 100);
  }

  public MessageQuery route(String route) {
    return new MessageQuery(
        route, states, businessKey, reason, from, until, overdue, latestFirst, after, limit);
  }

  public MessageQuery states(MessageState... states) {
    return new MessageQuery(
        route,
        Set.of(states),
        businessKey,
        reason,
        from,
        until,
        overdue,
        latestFirst,
        after,
        limit);
  }

  public MessageQuery businessKey(String businessKey) {
    return new MessageQuery(
        route, states, businessKey, reason, from, until, overdue, latestFirst, after, limit);
  }

  public MessageQuery reason(String reason) {
    return new MessageQuery(
        route, states, businessKey, reason, from, until, overdue, latestFirst, after, limit);
  }

  /** Due from the first instant to before the second. */
  public MessageQuery due(@Nullable Instant from, @Nullable Instant until) {
    return new MessageQuery(
        route, states, businessKey, reason, from, until, overdue, latestFirst, after, limit);
  }

  /** Only what is overdue. */
  public MessageQuery onlyOverdue() {
    return new MessageQuery(
        route, states, businessKey, reason, from, until, true, latestFirst, after, limit);
  }

  /** In the opposite order: the latest first. */
  public MessageQuery backwards() {
    return new MessageQuery(
        route, states, businessKey, reason, from, until, overdue, true, after, limit);
  }

  /** The messages behind this one. */
  public MessageQuery after(StoredMessage last) {
    return after(Cursor.of(last));
  }

  /** What lies behind this place. */
  public MessageQuery after(Cursor place) {
    return new MessageQuery(
        route, states, businessKey, reason, from, until, overdue, latestFirst, place, limit);
  }

  public MessageQuery limit(int limit) {
    return new MessageQuery(
        route, states, businessKey, reason, from, until, overdue, latestFirst, after, limit);
  }

  /** Whether it selects this message, at any place, at an instant of the store's clock. */
  public boolean matches(StoredMessage stored, Instant now) {
    Instant due = stored.deliverAt();
    return (route == null || route.equals(stored.key().route()))
        && (states.isEmpty() || states.contains(stored.state()))
        && (businessKey == null || businessKey.equals(stored.message().businessKey()))
        && (reason == null || reason.equals(stored.reason()))
        && (from == null || !due.isBefore(from))
        && (until == null || due.isBefore(until))
        && (!overdue || stored.overdue(now));
  }

  /** The order of its answer. */
  public Comparator<Cursor> order() {
    return latestFirst ? Comparator.reverseOrder() : Comparator.naturalOrder();
  }

  /** A place in the order of {@code (deliverAt, route, id)}. */
  public record Cursor(Instant deliverAt, String route, String id) implements Comparable<Cursor> {
    private static final Comparator<Cursor> ORDER =
        Comparator.comparing(Cursor::deliverAt)
            .thenComparing(Cursor::route)
            .thenComparing(Cursor::id);

    @Override
    public int compareTo(Cursor other) {
      return ORDER.compare(this, other);
    }

    /** The place of this message. */
    public static Cursor of(StoredMessage stored) {
      return new Cursor(stored.deliverAt(), stored.key().route(), stored.key().id());
    }
  }
}
