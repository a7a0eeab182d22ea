// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Attempts;
import io.pocketwatch.store.SettlingStore.Beginning;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.SettlingStore.Begun.Verdict;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.SettlingStore.Postponement;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
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
      "route, id, {row} AS row_name, state, generation, deliver_at, next_at, next_queue, tracking,"
          + " owner, lease_until, fence, attempts, held_until, reason, settlements, settled,"
          + " finished_at, updated_at, consumer, token, handling_generation, handling_until,"
          + " begun_at, settled_at, postponed, retries, again_queue, changed_at, {now} AS at_millis";

  private final MessageKey key;
  private final String rowName;
  private final int generation;
  private final long deliverAt;
  private final int settlements;
  private final boolean full;
  private final long fence;
  private final long now;
  private final long changedAt;
  private MessageState state;
  private long nextAt;
  private @Nullable String nextQueue;
  private @Nullable String owner;
  private long leaseUntil;
  private int attempts;
  private @Nullable Long heldUntil;
  private @Nullable String reason;
  private int settled;
  private @Nullable Long finishedAt;
  private long updatedAt;
  private boolean rowChanged;

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
    full = Tracking.valueOf(row.getString("tracking")) == Tracking.FULL;
    fence = row.getLong("fence");
    now = row.getLong("at_millis");
    changedAt = row.getLong("changed_at");
    state = MessageState.valueOf(row.getString("state"));
    nextAt = row.getLong("next_at");
    nextQueue = row.getString("next_queue");
    owner = row.getString("owner");
    leaseUntil = row.getLong("lease_until");
    attempts = row.getInt("attempts");
    heldUntil = Jdbc.longOrNull(row, "held_until");
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

  /** Whether it is to be sent to one of its consumers only. */
  boolean toOneQueue() {
    return nextQueue != null;
  }

  /** Whether a copy is on the broker, or somebody is about to send one. */
  boolean sentOrClaimed() {
    return state == MessageState.HELD || owner != null;
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

  /**
   * Whether what the other table knows matters to that consumer: it may be there, or the message is
   * others' as well.
   */
  boolean mayHaveFurther(String consumer) {
    return begun() && (!consumers.containsKey(consumer) || settlements > 1 || nextQueue != null);
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
    if (copy.early() && (!full || deliverAt > now)) {
      return early(handling, before);
    }
    if (before != null && before.toBeSent(generation) && before.leaseUntil() > now) {
      sendAgain(); // its copy is the one that came, if it was sent
      put(before);
      return Begun.of(Verdict.BUSY);
    }
    boolean own = before != null && before.token().equals(handling.token());
    if (before != null && !own && before.underWay(now)) {
      if (!comesAgain()) {
        return Begun.of(Verdict.LOCKED);
      }
      if (!before.hasSkipped()) {
        put(before.skipped());
        rowChanged = true;
      }
      return Begun.of(Verdict.BUSY);
    }
    if (before != null && own) { // begun by a call whose answer was lost
      put(before.until(now + leaseMillis));
      return Begun.handle(settled(), before.attempts());
    }
    Attempts attempts = before == null ? Attempts.NONE : before.attempts(generation);
    put(
        ConsumerState.begun(
            handling.consumer(), handling.token(), generation, now + leaseMillis, now, attempts));
    return Begun.handle(settled(), attempts);
  }

  /**
   * The broker has held it, or somebody's clock was wrong when its row sent it. Whoever asks goes
   * by a clock of his own; what its row sends is early by the database's.
   */
  private Begun early(Handling handling, @Nullable ConsumerState before) {
    if (!full) {
      return Begun.of(Verdict.EARLY);
    }
    if (state == MessageState.PENDING || state == MessageState.HELD) {
      pending(deliverAt, null);
      put(
          before == null
              ? ConsumerState.begun(handling.consumer(), "", generation, 0, now, Attempts.NONE)
                  .stopped(false)
              : before);
    }
    return Begun.of(Verdict.OUTDATED);
  }

  /**
   * Whether one that is under way is sent again if nobody ends it. One that waits to be sent to
   * other consumers is, but after that.
   */
  private boolean comesAgain() {
    return state == MessageState.HELD || (state == MessageState.PENDING && firstToBeSent() == null);
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
    boolean applies =
        switch (ending.kind()) {
          case SETTLE -> settle(ending.handling()) || isSettledBy(ending.handling());
          case SETTLED_IN -> isSettledBy(ending.handling());
          case FAIL, PARK, POSTPONE, RELEASE -> undo(ending);
        };
    return applies ? Ended.APPLIED : Ended.OVERTAKEN;
  }

  private boolean isSettledBy(Handling handling) {
    return !cancelled() && hasSettled(handling);
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
      if (firstToBeSent() == null) {
        become(MessageState.SETTLED, now, reason);
      }
    } else if (state != MessageState.PARKED && othersHaveFailed()) {
      become(MessageState.FAILED, now, reason);
    }
    return true;
  }

  private boolean othersHaveFailed() {
    return consumers.size() >= settlements
        && consumers.values().stream().allMatch(one -> one.settled() || one.failed(generation));
  }

  private boolean undo(Ending ending) {
    ConsumerState open = open(ending.handling());
    if (open == null) {
      return false;
    }
    Postponement next = ending.postponement();
    if ((next != null) != (ending.kind() == Ending.Kind.POSTPONE)) {
      throw new IllegalArgumentException("what is postponed, and nothing else, says until when");
    }
    put(
        next == null
            ? open.stopped(ending.kind() != Ending.Kind.RELEASE)
            : open.postponed(RowLimits.postponement(next)));
    String why = ending.reason() == null ? null : RowLimits.reason(ending.reason());
    switch (ending.kind()) {
      case RELEASE -> {
        if (why != null) {
          reason = why;
          updatedAt = now;
        }
        sendSkipped(open);
      }
      case FAIL -> {
        if (!open.hasSkipped()) {
          fail(why);
        } else if (state != MessageState.PARKED) {
          reason = why;
          sendSkipped(open);
        }
      }
      case PARK -> become(MessageState.PARKED, null, why);
      case POSTPONE -> {
        if (state != MessageState.PARKED) {
          reason = why;
          sendAgain();
        }
      }
      case SETTLE, SETTLED_IN -> throw new IllegalArgumentException("settling is something else");
    }
    return true;
  }

  /** The copy that was skipped would have been the next try. */
  private void sendSkipped(ConsumerState ended) {
    if (ended.hasSkipped() && state != MessageState.PARKED) {
      pending(now, null);
    }
  }

  /**
   * It stays as it is if it waits for a human, all expected consumers have settled it, or it goes
   * on for others. These may also wait for a copy that is sent again, as theirs was lost, or never
   * sent.
   */
  private void fail(@Nullable String why) {
    boolean toBeClaimed = state == MessageState.PENDING && owner == null;
    boolean done = settled >= Math.max(1, settlements);
    if (state == MessageState.PARKED || settled() || !nothingGoesOn()) {
      return;
    }
    if (done) {
      become(MessageState.SETTLED, now, reason);
    } else if (!toBeClaimed || (heldUntil == null && settlements <= 1)) {
      become(MessageState.FAILED, now, why);
    }
  }

  /** What a consumer has left behind goes on, too: it is sent again. */
  private boolean nothingGoesOn() {
    return firstToBeSent() == null
        && consumers.values().stream()
            .noneMatch(one -> one.underWay(now) || one.abandoned(generation, now));
  }

  private @Nullable ConsumerState firstToBeSent() {
    return consumers.values().stream()
        .filter(one -> one.toBeSent(generation))
        .min(Comparator.comparing(ConsumerState::leaseUntil))
        .orElse(null);
  }

  /** One that is to be sent to all of them now is sent first; one that is parked, by hand only. */
  private void sendAgain() {
    if (state == MessageState.PARKED) {
      return;
    }
    boolean toAll =
        state == MessageState.PENDING && owner == null && nextQueue == null && nextAt <= now;
    ConsumerState first = firstToBeSent();
    if (first != null && !(toAll && settlements > 1)) {
      pending(first.leaseUntil(), first.againQueue());
    }
  }

  private void pending(long at, @Nullable String queue) {
    become(MessageState.PENDING, null, reason);
    nextAt = at;
    nextQueue = queue;
  }

  private void become(MessageState next, @Nullable Long finished, @Nullable String why) {
    rowChanged = true;
    state = next;
    finishedAt = finished;
    reason = why;
    owner = null;
    leaseUntil = 0;
    updatedAt = now;
  }

  /** The copy of that claim was sent; false if the claim is over. */
  boolean sent(Claim claim, long at) {
    if (state != MessageState.PENDING
        || fence != claim.fence()
        || generation != claim.message().generation()
        || !claim.owner().equals(owner)) {
      return false;
    }
    long due = nextAt;
    String queue = nextQueue;
    for (ConsumerState one : List.copyOf(consumers.values())) {
      if (one.toBeSent(generation)
          && one.leaseUntil() <= due
          && Objects.requireNonNull(one.againQueue()).equals(queue)) {
        put(one.sent());
      }
    }
    heldUntil = Math.max(heldUntil == null ? 0 : heldUntil, at);
    attempts = 0;
    become(MessageState.HELD, null, queue == null ? null : reason);
    sendAgain();
    return true;
  }

  /** Nobody ended what was begun, and the lease is over: it is sent again, to all. */
  boolean abandoned() {
    List<ConsumerState> over =
        consumers.values().stream().filter(one -> one.abandoned(generation, now)).toList();
    boolean waits =
        state == MessageState.PENDING && nextQueue != null && owner == null && nextAt > now;
    if (over.isEmpty() || (state != MessageState.HELD && !waits)) {
      return false;
    }
    over.forEach(one -> put(one.stopped(false)));
    pending(now, null);
    return true;
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
    return !changed.isEmpty() || rowChanged();
  }

  /** Whether more than what its consumers do has changed. */
  boolean rowChanged() {
    return rowChanged && begun();
  }

  boolean firstChanged() {
    return !changed.isEmpty() && changed.contains(first().consumer());
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
    Stream<@Nullable Object> times =
        Stream.of(
            one.leaseUntil(),
            one.begunAt(),
            one.settledAt(),
            one.attempts().postponed(),
            one.attempts().retries(),
            one.againQueue());
    return Stream.of(handling, times, Arrays.stream(more)).flatMap(each -> each).toArray();
  }

  /** In the order of the columns in {@link LockedRows}. */
  @Nullable Object[] values() {
    return values(
        first(),
        rowName,
        state.name(),
        nextAt,
        nextQueue,
        owner,
        leaseUntil,
        attempts,
        heldUntil,
        reason,
        settled,
        finishedAt,
        updatedAt);
  }
}
