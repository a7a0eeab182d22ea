// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.MessageQuery.Cursor;
import io.pocketwatch.store.StoreException.PartlyChangedException;
import io.pocketwatch.store.StoreException.RowLockedException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What those who schedule need: put in, look up, change. */
public interface SchedulingStore {
  /**
   * Inserts rows as {@code PENDING} in one transaction; present ones are left as they are. Ids that
   * appear twice in a batch are compared like any other.
   *
   * @param batch at most 10,000
   * @param lease who will hand the rows to the broker now, or null to leave that to the loaders; a
   *     leased row starts with fence 1
   * @return one outcome per row, in order
   * @throws RowLockedException if a transaction that is still open has inserted one of the ids. A
   *     batch waits for it for a moment only, a single row for 10 s
   * @throws StoreException if it is not known to be committed
   */
  List<InsertOutcome> insert(List<ScheduledMessage> batch, @Nullable Lease lease);

  Optional<StoredMessage> find(MessageKey key);

  /**
   * Messages of a query in the order of {@code (deliverAt, route, id)}, whole. The caller needs
   * memory for as many of the largest; {@link OverviewStore#summaries} leaves in the database what
   * may be large.
   */
  List<StoredMessage> list(MessageQuery query);

  /** How many messages match; {@code limit} and {@code after} are ignored. */
  long count(MessageQuery query);

  /**
   * Cancels a message unless it is settled or being handled. One that is cancelled already is
   * {@code DONE}, and keeps who did it first. A {@code HANDOFF} row can only be cancelled while it
   * is {@code PENDING} and not leased: nobody would skip the copy on the broker.
   *
   * @see ChangeOutcome what each change answers, and what it answers when repeated
   */
  default ChangeOutcome cancel(MessageKey key) {
    return cancel(key, null);
  }

  /**
   * Does {@link #cancel(MessageKey)}, and keeps who did it.
   *
   * @param actor 1 to 200 characters, or null
   */
  ChangeOutcome cancel(MessageKey key, @Nullable String actor);

  /**
   * Sets a row back to {@code PENDING} with a new instant and a new generation, unless it is
   * settled, cancelled or being handled. Copies of earlier generations are skipped when they
   * arrive. {@code HANDOFF} rows are treated as in {@link #cancel}, but one that is with the broker
   * for that very instant is {@code DONE}.
   *
   * @throws IllegalArgumentException if the instant is after {@link
   *     io.pocketwatch.config.DelayLimits#LATEST}
   */
  default ChangeOutcome reschedule(MessageKey key, Instant deliverAt) {
    return reschedule(key, deliverAt, null);
  }

  /**
   * Does {@link #reschedule(MessageKey, Instant)}, and keeps who did it, as {@link #cancel} does.
   */
  ChangeOutcome reschedule(MessageKey key, Instant deliverAt, @Nullable String actor);

  /**
   * Sets a {@code PARKED}, {@code FAILED} or {@code HELD} row back to {@code PENDING}, by hand. It
   * gets a new generation and no attempts, and keeps its instant. The answer is {@code TOO_LATE} if
   * it is settled or cancelled.
   */
  default ChangeOutcome retry(MessageKey key) {
    return retry(key, null);
  }

  /** Does {@link #retry(MessageKey)}, and keeps who did it, as {@link #cancel} does. */
  ChangeOutcome retry(MessageKey key, @Nullable String actor);

  /**
   * Changes messages of a filter, those due first at the beginning: at most {@link
   * MessageQuery#limit} of them, in one transaction. Each is decided on and changed as if it were
   * alone. Several processes may change the same filter at once and share the work. What another
   * one changes meanwhile is not counted again.
   *
   * <p>What would be moved beyond {@link io.pocketwatch.config.DelayLimits#LATEST} stays where it
   * is, and is {@code TOO_LATE}.
   *
   * @param filter which ones; {@code after} to go on behind an earlier call's {@link
   *     ManyChanged#next}
   * @param change what to do; to go on with a move, as of the earlier call's {@link
   *     ManyChanged#asOf}
   * @param actor 1 to 200 characters, or null
   * @throws PartlyChangedException if that failed after the first of two transactions: messages
   *     that somebody else had locked have one of their own
   */
  ManyChanged changeMany(MessageQuery filter, MessageChange change, @Nullable String actor);

  /**
   * Calls {@link #changeMany} until there are no more.
   *
   * @param filter which ones; its limit is how many one transaction changes
   * @param goOn is told after each transaction what was done so far, and says whether to go on
   * @return what was done; its {@code next} is null unless {@code goOn} ended it
   * @throws PartlyChangedException if a transaction failed after others had changed something
   */
  default ManyChanged changeAll(
      MessageQuery filter,
      MessageChange change,
      @Nullable String actor,
      Predicate<ManyChanged> goOn) {
    ManyChanged all = changeMany(filter, change, actor);
    for (Cursor next = all.next(); next != null && goOn.test(all); next = all.next()) {
      try {
        all = all.plus(changeMany(filter.after(next), change.asOf(all.asOf()), actor));
      } catch (PartlyChangedException e) {
        throw e.after(all);
      } catch (RuntimeException e) {
        throw new PartlyChangedException(all, e);
      }
    }
    return all;
  }

  /**
   * What is done to each of some stored messages, as {@link SchedulingStore#cancel}, {@link
   * SchedulingStore#reschedule} or {@link SchedulingStore#retry} does it.
   *
   * @param kind which of them
   * @param to where messages are moved, or null
   * @param by how far they are moved, or null
   * @param asOf only for those that are moved. Messages that were changed by hand at or after this
   *     instant are left out, so that each is moved once. Null stands for the store's present time
   */
  record MessageChange(
      Kind kind, @Nullable Instant to, @Nullable Duration by, @Nullable Instant asOf) {

    /** The longest that messages are moved by, both ways. */
    private static final Duration FARTHEST = Duration.ofDays(36_525);

    /** What is done. */
    public enum Kind {
      /** Cancelled. */
      CANCEL,
      /** Moved to another instant. */
      RESCHEDULE,
      /** Given another try. */
      RETRY
    }

    /**
     * @throws IllegalArgumentException if a move is out of range
     */
    public MessageChange {
      if ((kind == Kind.RESCHEDULE) != ((to == null) != (by == null))
          || (kind != Kind.RESCHEDULE && (to != null || by != null))) {
        throw new IllegalArgumentException(kind + ": a move, and no other change, is to or by");
      }
      if (to != null && to.isAfter(DelayLimits.LATEST)) {
        throw new IllegalArgumentException(
            "messages cannot be due at %s; the latest allowed: %s"
                .formatted(to, DelayLimits.LATEST));
      }
      if (by != null && by.abs().compareTo(FARTHEST) > 0) {
        throw new IllegalArgumentException(
            "messages cannot be moved by %s; allowed: up to %s days, earlier or later"
                .formatted(by, FARTHEST.toDays()));
      }
    }

    public static MessageChange cancel() {
      return new MessageChange(Kind.CANCEL, null, null, null);
    }

    /** Moves them to one instant, at the latest {@link DelayLimits#LATEST}. */
    public static MessageChange rescheduleTo(Instant deliverAt) {
      return new MessageChange(Kind.RESCHEDULE, deliverAt, null, null);
    }

    /** Moves each from where it is: later, or earlier if it is negative; up to a hundred years. */
    public static MessageChange rescheduleBy(Duration by) {
      return new MessageChange(Kind.RESCHEDULE, null, by, null);
    }

    public static MessageChange retry() {
      return new MessageChange(Kind.RETRY, null, null, null);
    }

    /** The same as a part of what began then. */
    public MessageChange asOf(Instant began) {
      return new MessageChange(kind, to, by, began);
    }
  }

  /**
   * What became of the messages of a filter.
   *
   * @param counts how many were answered so; a message that a transaction had locked for longer
   *     than a moment counts as {@code BEING_HANDLED}
   * @param routes of those that were changed
   * @param next where to go on, or null if there are no more
   * @param asOf when it began, on the store's clock
   */
  record ManyChanged(
      Map<ChangeOutcome, Long> counts, Set<String> routes, @Nullable Cursor next, Instant asOf) {
    public ManyChanged {
      counts = Map.copyOf(counts);
      routes = Set.copyOf(routes);
    }

    public long count(ChangeOutcome outcome) {
      return counts.getOrDefault(outcome, 0L);
    }

    /** All that were answered. */
    public long total() {
      return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Both together, as of the first, to go on behind the second. */
    public ManyChanged plus(ManyChanged further) {
      Map<ChangeOutcome, Long> sum = new EnumMap<>(ChangeOutcome.class);
      sum.putAll(counts);
      further.counts.forEach((outcome, count) -> sum.merge(outcome, count, Long::sum));
      Set<String> both = new HashSet<>(routes);
      both.addAll(further.routes);
      return new ManyChanged(sum, both, further.next, asOf);
    }
  }

  /** What an insert found. */
  enum InsertOutcome {
    /** The row is new. */
    INSERTED,
    /**
     * The same message was there already, with the same target, content and instant. Nothing was
     * changed. Headers by which calls are traced do not count, since each call has others.
     */
    DUPLICATE,
    /**
     * Another message has this id, with another target, content or instant. Nothing was changed.
     */
    CONFLICT
  }
}
