// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Beginning;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.SettlingStore.Begun.Verdict;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A message's row, locked until the transaction ends, and what its consumers do. Whoever looks at
 * handlings and acts on what he sees locks this row first. So begin, settle, cancel and reschedule
 * follow one another, and may change it here before they write it.
 */
final class LockedRow {
  static final String COLUMNS =
      "route, id, {row} AS row_name, state, generation, deliver_at, owner, lease_until, held_until,"
          + " epoch, reason, settlements, settled, finished_at, updated_at, consumer, token,"
          + " handling_generation, handling_until, begun_at, settled_at, changed_at, {now} AS"
          + " at_millis";

  private final MessageKey key;
  private final String rowName;
  private final int generation;
  private final long deliverAt;
  private final int settlements;
  private final long now;
  private final long changedAt;
  private MessageState state;
  private @Nullable String owner;
  private long leaseUntil;
  private @Nullable Long heldUntil;
  private @Nullable String epoch;
  private @Nullable String reason;
  private int settled;
  private @Nullable Long finishedAt;
  private long updatedAt;

  /** The first of them has its place in the message's row, for good. */
  private final Map<String, ConsumerState> consumers = new LinkedHashMap<>();

  /** The others that have a row. */
  private final Set<String> further = new LinkedHashSet<>();

  private final Set<String> changed = new LinkedHashSet<>();

  private LockedRow(ResultSet row) throws SQLException {
    key = MessageRows.key(row);
    rowName = row.getString("row_name");
    generation = row.getInt("generation");
    deliverAt = row.getLong("deliver_at");
    settlements = row.getInt("settlements");
    now = row.getLong("at_millis");
    changedAt = row.getLong("changed_at");
    state = MessageState.valueOf(row.getString("state"));
    owner = row.getString("owner");
    leaseUntil = row.getLong("lease_until");
    heldUntil = Jdbc.longOrNull(row, "held_until");
    epoch = row.getString("epoch");
    reason = row.getString("reason");
    settled = row.getInt("settled");
    finishedAt = Jdbc.longOrNull(row, "finished_at");
    updatedAt = row.getLong("updated_at");
    if (row.getString("consumer") != null) {
      ConsumerState first = ConsumerState.of(row);
      consumers.put(first.consumer(), first);
    }
  }

  static LockedRow of(ResultSet row) throws SQLException {
    return new LockedRow(row);
  }

  void addFurther(ConsumerState one) {
    consumers.put(one.consumer(), one);
    further.add(one.consumer());
  }

  MessageKey key() {
    return key;
  }

  long deliverAt() {
    return deliverAt;
  }

  /** What a statement finds it by, while it is locked; see {@link Dialect#isRow}. */
  String rowName() {
    return rowName;
  }

  @Nullable String reason() {
    return reason;
  }

  /** When somebody changed it by hand, or 0. */
  long changedAt() {
    return changedAt;
  }

  MessageState state() {
    return state;
  }

  boolean cancelled() {
    return state == MessageState.CANCELLED;
  }

  /** Whether as many consumers have settled it as its route expects. */
  boolean settled() {
    return state == MessageState.SETTLED;
  }

  /** Settled by one of several consumers counts: "cancelled" would be half a lie. */
  boolean settledByAny() {
    return consumers.values().stream().anyMatch(ConsumerState::settled);
  }

  boolean beingHandled() {
    return consumers.values().stream().anyMatch(one -> one.underWay(now));
  }

  /** Whether a consumer has begun it ever. */
  boolean begun() {
    return !consumers.isEmpty();
  }

  /** Whether another consumer is the first, so that the other table may know this one. */
  boolean mayHaveFurther(String consumer) {
    return begun() && !consumers.containsKey(consumer);
  }

  boolean hasSettled(Handling handling) {
    ConsumerState before = consumers.get(handling.consumer());
    return before != null && before.settled() && before.token().equals(handling.token());
  }

  Begun begin(Beginning copy, long leaseMillis) {
    Handling handling = copy.handling();
    ConsumerState before = consumers.get(handling.consumer());
    if (cancelled()) {
      return Begun.of(Verdict.CANCELLED);
    }
    if (generation != copy.generation()) {
      return Begun.of(Verdict.OUTDATED);
    }
    if (before != null && before.settled()) {
      return Begun.of(Verdict.SETTLED);
    }
    // One with the asker's own token was begun by a call whose answer was lost.
    if (before != null
        && (before.waits(generation, now)
            || (before.underWay(now) && !before.token().equals(handling.token())))) {
      return Begun.busy(Instant.ofEpochMilli(before.leaseUntil()));
    }
    put(
        new ConsumerState(
            handling.consumer(), handling.token(), generation, now + leaseMillis, now, null));
    return Begun.handle(settled());
  }

  boolean extend(Handling handling, long leaseMillis) {
    ConsumerState open = open(handling);
    if (open != null) {
      put(open.until(now + leaseMillis));
    }
    return open != null;
  }

  /** Settled before, under the same token, was settled by a call whose answer was lost. */
  Ended end(Ending ending) {
    boolean settles = ending.kind() == Ending.Kind.SETTLE;
    boolean applies =
        settles
            ? settle(ending.handling()) || (!cancelled() && hasSettled(ending.handling()))
            : undo(ending);
    return applies ? Ended.APPLIED : Ended.OVERTAKEN;
  }

  /** Returns whether it was not settled before. */
  boolean settle(Handling handling) {
    ConsumerState open = open(handling);
    if (open == null) {
      return false;
    }
    put(open.settledAt(now));
    settled++;
    updatedAt = now;
    if (settled >= settlements) {
      state = MessageState.SETTLED;
      finishedAt = now;
      owner = null;
    }
    return true;
  }

  private boolean undo(Ending ending) {
    ConsumerState open = open(ending.handling());
    if (open == null) {
      return false;
    }
    put(
        ending.until() == null
            ? open.stopped(ending.kind() != Ending.Kind.RELEASE)
            : open.postponed(Millis.ceiling(ending.until())));
    String why = ending.reason() == null ? null : RowLimits.reason(ending.reason());
    switch (ending.kind()) {
      case RELEASE -> {
        if (why != null) {
          reason = why;
          updatedAt = now;
        }
      }
      case FAIL -> {
        if (!stays()) {
          become(MessageState.FAILED, now, why);
        }
      }
      case PARK -> become(MessageState.PARKED, null, why);
      case POSTPONE -> postpone(ending, why);
      case SETTLE -> throw new IllegalArgumentException("settling is something else");
    }
    return true;
  }

  private void postpone(Ending ending, @Nullable String why) {
    Instant until = ending.until();
    if (until == null) {
      throw new IllegalArgumentException("a handling is postponed until an instant");
    }
    if (!stays()) {
      become(MessageState.HELD, null, why);
    }
    heldUntil = Math.max(heldUntil == null ? 0 : heldUntil, Millis.ceiling(until));
    if (epoch == null && ending.epoch() != null) {
      epoch = RowLimits.epoch(ending.epoch());
    }
    updatedAt = now;
  }

  private void become(MessageState next, @Nullable Long finished, @Nullable String why) {
    state = next;
    finishedAt = finished;
    reason = why;
    owner = null;
    leaseUntil = 0;
    updatedAt = now;
  }

  /**
   * Whether the row stays as it is when one consumer could not do its work. It stays if it waits
   * for a human, or all expected consumers have settled it. It also stays if other consumers wait
   * for a copy that is sent again, as the broker has lost theirs or never took it.
   */
  private boolean stays() {
    boolean toBeClaimed = state == MessageState.PENDING && owner == null;
    return (toBeClaimed && (heldUntil != null || settlements > 1))
        || state == MessageState.PARKED
        || settled();
  }

  /** A handling that is still the consumer's last, of the message's last generation. */
  private @Nullable ConsumerState open(Handling handling) {
    ConsumerState last = consumers.get(handling.consumer());
    return last != null
            && !cancelled()
            && !last.settled()
            && last.token().equals(handling.token())
            && last.generation() == generation
        ? last
        : null;
  }

  private void put(ConsumerState next) {
    consumers.put(next.consumer(), next);
    changed.add(next.consumer());
  }

  boolean changed() {
    return !changed.isEmpty();
  }

  boolean firstChanged() {
    return changed() && changed.contains(first().consumer());
  }

  private ConsumerState first() {
    return consumers.values().iterator().next();
  }

  /** What there is to write of further consumers: of those that have a row, or of the new ones. */
  Stream<@Nullable Object[]> furtherValues(boolean haveRow) {
    return changed.stream()
        .filter(one -> !one.equals(first().consumer()) && further.contains(one) == haveRow)
        .map(one -> values(Objects.requireNonNull(consumers.get(one))));
  }

  private @Nullable Object[] values(ConsumerState one, @Nullable Object... more) {
    Stream<@Nullable Object> handling =
        Stream.of(key.route(), key.id(), one.consumer(), one.token(), one.generation());
    Stream<@Nullable Object> times = Stream.of(one.leaseUntil(), one.begunAt(), one.settledAt());
    return Stream.of(handling, times, Arrays.stream(more)).flatMap(each -> each).toArray();
  }

  /** In the order of the columns in {@link LockedRows}. */
  @Nullable Object[] values() {
    return values(
        first(),
        rowName,
        state.name(),
        owner,
        leaseUntil,
        heldUntil,
        epoch,
        reason,
        settled,
        finishedAt,
        updatedAt);
  }
}
