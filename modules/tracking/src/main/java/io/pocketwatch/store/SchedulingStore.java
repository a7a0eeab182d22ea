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

/** The store's part for publishers and operators: inserts, finds and changes messages. */
public interface SchedulingStore {
  /**
   * Inserts rows as {@code PENDING} in one transaction; present ones are left as they are. Ids that
   * appear twice in a batch are compared like any other.
   *
   * @param batch at most 10,000
   * @param lease the holder that hands the rows off now, or null to leave that to the loaders; a
   *     leased row starts with fence 1
   * @return one outcome per row, in order
   * @throws RowLockedException if a transaction that is still open has inserted one of the ids. A
   *     batch waits for it for a moment only, a single row for 10 s
   * @throws StoreException if it is not known to be committed
   */
  List<InsertOutcome> insert(List<ScheduledMessage> batch, @Nullable Lease lease);

  Optional<StoredMessage> find(MessageKey key);

  /**
   * The messages of a query, whole, in the order of {@code (deliverAt, route, id)}. The caller
   * needs memory for all of them; {@link OverviewStore#summaries} leaves the large parts in the
   * database.
   */
  List<StoredMessage> list(MessageQuery query);

  /** How many messages match; {@code limit} and {@code after} are ignored. */
  long count(MessageQuery query);

  /**
   * Cancels a message unless it is settled or being handled. For one that is cancelled already the
   * answer is {@code DONE}, and its first actor stays. A {@code HANDOFF} row can only be cancelled
   * if it is {@code PENDING} and not leased, or {@code PARKED}: nobody would skip a copy on the
   * broker.
   *
   * @see ChangeOutcome what each change answers, and what it answers when repeated
   */
  default ChangeOutcome cancel(MessageKey key) {
    return cancel(key, null);
  }

  /**
   * As {@link #cancel(MessageKey)}, and notes who did it.
   *
   * @param actor 1 to 200 characters, or null
   */
  ChangeOutcome cancel(MessageKey key, @Nullable String actor);

  /**
   * Sets a row back to {@code PENDING} with a new instant and a new generation, unless it is
   * settled, cancelled or being handled. Copies of earlier generations are skipped when they
   * arrive. {@code HANDOFF} rows are treated as in {@link #cancel}, but for one that the broker has
   * for that very instant the answer is {@code DONE}.
   *
   * @throws IllegalArgumentException if the instant is after {@link
   *     io.pocketwatch.config.DelayLimits#LATEST}
   */
  default ChangeOutcome reschedule(MessageKey key, Instant deliverAt) {
    return reschedule(key, deliverAt, null);
  }

  /** As {@link #reschedule(MessageKey, Instant)}, and notes who did it, as {@link #cancel} does. */
  ChangeOutcome reschedule(MessageKey key, Instant deliverAt, @Nullable String actor);

  /**
   * Sets a {@code PARKED}, {@code FAILED} or {@code HELD} row back to {@code PENDING}, with a new
   * generation, no attempts and its old instant. For a {@code PENDING} row it ends the pause before
   * the next try. The answer is {@code TOO_LATE} if the message is settled or cancelled.
   */
  default ChangeOutcome retry(MessageKey key) {
    return retry(key, null);
  }

  /** As {@link #retry(MessageKey)}, and notes who did it, as {@link #cancel} does. */
  ChangeOutcome retry(MessageKey key, @Nullable String actor);

  /**
   * Changes the messages of a filter, the earliest first: at most {@link MessageQuery#limit} of
   * them, in one transaction. Each is changed, or refused, as if it were alone. Several processes
   * may change the same filter at once and share the work. A message that another one changes
   * meanwhile is not counted again.
   *
   * <p>A message that would be due after {@link io.pocketwatch.config.DelayLimits#LATEST} is not
   * changed, and counts as {@code TOO_LATE}.
   *
   * @param filter the messages; set {@code after} to go on after an earlier call's {@link
   *     ManyChanged#next}
   * @param change what to do; to go on with a reschedule, as of the earlier call's {@link
   *     ManyChanged#asOf}
   * @param actor 1 to 200 characters, or null
   * @throws PartlyChangedException if the second of two transactions failed: messages that were
   *     locked have one of their own
   */
  ManyChanged changeMany(MessageQuery filter, MessageChange change, @Nullable String actor);

  /**
   * Calls {@link #changeMany} until there are no more.
   *
   * @param filter the messages; its limit is how many one transaction changes
   * @param goOn takes what was done so far after each transaction, and returns whether to go on
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
   * A change of many messages, each as by {@link SchedulingStore#cancel}, {@link
   * SchedulingStore#reschedule} or {@link SchedulingStore#retry}.
   *
   * @param kind which of these changes
   * @param to the instant to which messages are rescheduled, or null
   * @param by the time by which each message is rescheduled, or null
   * @param asOf only for a reschedule. Messages that were changed by hand at or after this instant
   *     are left out, so that each is rescheduled once. Null stands for the store's present time
   */
  record MessageChange(
      Kind kind, @Nullable Instant to, @Nullable Duration by, @Nullable Instant asOf) {

    /** The longest time by which messages are rescheduled, earlier or later. */
    private static final Duration FARTHEST = Duration.ofDays(36_525);

    /** What is done. */
    public enum Kind {
      /** Cancelled. */
      CANCEL,
      /** Given another instant. */
      RESCHEDULE,
      /** Given another try. */
      RETRY
    }

    /**
     * @throws IllegalArgumentException if an instant or a time is missing, superfluous or out of
     *     range
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

    /** Reschedules messages to one instant, at the latest {@link DelayLimits#LATEST}. */
    public static MessageChange rescheduleTo(Instant deliverAt) {
      return new MessageChange(Kind.RESCHEDULE, deliverAt, null, null);
    }

    /** Makes each message due later, or earlier if negative, by up to a hundred years. */
    public static MessageChange rescheduleBy(Duration by) {
      return new MessageChange(Kind.RESCHEDULE, null, by, null);
    }

    public static MessageChange retry() {
      return new MessageChange(Kind.RETRY, null, null, null);
    }

    /** A copy that continues a change which began at this instant. */
    public MessageChange asOf(Instant began) {
      return new MessageChange(kind, to, by, began);
    }
  }

  /**
   * The result of a change of many messages.
   *
   * @param counts the number of messages by answer; one that a transaction had locked for longer
   *     than a moment counts as {@code BEING_HANDLED}
   * @param routes the routes of the messages that were changed
   * @param next the place after which to go on, or null if there are no more
   * @param asOf when the change began, on the store's clock
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

    /** The number of messages with any answer. */
    public long total() {
      return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The sum of both: began with this one, goes on after the further one. */
    public ManyChanged plus(ManyChanged further) {
      Map<ChangeOutcome, Long> sum = new EnumMap<>(ChangeOutcome.class);
      sum.putAll(counts);
      further.counts.forEach((outcome, count) -> sum.merge(outcome, count, Long::sum));
      Set<String> both = new HashSet<>(routes);
      both.addAll(further.routes);
      return new ManyChanged(sum, both, further.next, asOf);
    }
  }

  /** The result of an insert. */
  enum InsertOutcome {
    /** The row is new. */
    INSERTED,
    /**
     * The same message was there already, with the same target, content and instant. Nothing was
     * changed. Headers of tracing do not count, since they differ from call to call.
     */
    DUPLICATE,
    /**
     * Another message has this id, with another target, content or instant. Nothing was changed.
     */
    CONFLICT
  }
}
