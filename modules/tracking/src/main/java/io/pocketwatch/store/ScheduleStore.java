// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import io.pocketwatch.store.StoreException.RowLockedException;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The store's part for schedules. Each change locks one schedule, asks a function what to do with
 * it, and does that in the same transaction.
 *
 * <p>The functions do no I/O and have no effect: after a deadlock they are called again.
 */
public interface ScheduleStore {
  /** All schedules by name, without their payloads: these may be large. */
  List<StoredSchedule> schedules();

  /** A schedule with its payload. */
  Optional<StoredSchedule> schedule(String name);

  /** The number of schedules, and the size of their payloads. */
  ScheduleTotals scheduleTotals();

  /** As {@link #change(String, Function, Function)}, but withdraws nothing. */
  default ScheduleChanged change(String name, Function<FoundSchedule, ScheduleChange> change) {
    return change(name, found -> List.of(), change);
  }

  /**
   * Locks a schedule, withdraws rows, and does what the second function says. If two calls insert
   * the same name at once, the functions of the second are called again with the schedule of the
   * first.
   *
   * @param withdraw rows to delete, one after the other, up to the first that must stay. A row may
   *     go if it is {@code PENDING}, of generation 1, and neither leased nor locked: no copy of it
   *     can be on the broker. A missing row counts as one that must stay
   * @param change finds the deleted rows in {@link FoundSchedule#withdrawn}
   * @return the change, and the results of its inserts
   * @throws RowLockedException if another transaction has the schedule locked for 10 s
   * @throws IllegalArgumentException if the function gives a schedule another name, or something
   *     that does not fit; nothing has changed then
   */
  ScheduleChanged change(
      String name,
      Function<FoundSchedule, List<MessageKey>> withdraw,
      Function<FoundSchedule, ScheduleChange> change);

  /**
   * Changes the schedules that are due, the earliest first, and withdraws nothing. Their {@code
   * nextAt} is at most {@code ahead} from now, or they are paused and their {@code pausedUntil} has
   * come. Locked ones are skipped. Each has a transaction of its own. If its function or change
   * fails, the schedule is left as it was, and the others go on.
   *
   * @param ahead 0 to 365 days
   * @param limit at most so many, 1 to 1,000
   * @throws StoreException if the store can no longer be asked; what was done until then stays
   */
  Fired fireDue(Duration ahead, int limit, Function<FoundSchedule, ScheduleChange> change);

  /**
   * Rows of a route whose ids begin with this text, the highest id first.
   *
   * @param limit at most so many, 1 to 1,000
   */
  List<MessageMark> withIdsFrom(String route, String idPrefix, int limit);

  /**
   * What a row says of its message, without anything that may be large.
   *
   * @param key of the row
   * @param state as of now
   * @param deliverAt when it is, or was, due
   * @param createdAt when it was put in
   * @param updatedAt when it was changed last
   */
  record MessageMark(
      MessageKey key,
      MessageState state,
      Instant deliverAt,
      Instant createdAt,
      Instant updatedAt) {}

  /**
   * How much there is.
   *
   * @param count of schedules
   * @param bytes of all their payloads
   */
  record ScheduleTotals(long count, long bytes) {}

  /**
   * A schedule under its lock.
   *
   * @param schedule as it is, or null if there is none of this name
   * @param now the store's clock
   * @param last the state of the row of {@link StoredSchedule#lastKey}, or null if it is gone
   * @param withdrawn the rows that have just been deleted
   */
  record FoundSchedule(
      @Nullable StoredSchedule schedule,
      Instant now,
      @Nullable MessageState last,
      List<MessageKey> withdrawn) {
    public FoundSchedule {
      withdrawn = List.copyOf(withdrawn);
    }
  }

  /**
   * What to do with a schedule. An id that was withdrawn may be inserted again.
   *
   * @param schedule how it is from now on, or null to delete it
   * @param insert rows to insert as {@code PENDING} without a lease; present ones are left as they
   *     are
   */
  record ScheduleChange(@Nullable StoredSchedule schedule, List<ScheduledMessage> insert) {
    public ScheduleChange {
      insert = List.copyOf(insert);
    }

    /** Leaves it as it is. */
    public static ScheduleChange none(@Nullable StoredSchedule schedule) {
      return new ScheduleChange(schedule, List.of());
    }
  }

  /**
   * What was done.
   *
   * @param change what was asked for
   * @param inserted per row of {@link ScheduleChange#insert}, in order
   */
  record ScheduleChanged(ScheduleChange change, List<SchedulingStore.InsertOutcome> inserted) {
    public ScheduleChanged {
      inserted = List.copyOf(inserted);
    }
  }

  /**
   * What a call of {@link #fireDue} did.
   *
   * @param changed what was done, per schedule; without payloads and rows, which may be large
   * @param failed by name, why a schedule was left as it was
   */
  record Fired(List<ScheduleChanged> changed, Map<String, RuntimeException> failed) {
    public Fired {
      changed = List.copyOf(changed);
      failed = Map.copyOf(failed);
    }
  }

  /**
   * A schedule as the store keeps it. The store reads neither definition nor payload.
   *
   * @param name 1 to 100 characters, unique in the store
   * @param owner the configuration that owns the definition, up to 200 characters. Only it may
   *     change it. It is null if code or the REST API put it in
   * @param version counts the changes of the definition, from 1
   * @param definition in JSON, but for the payload; up to 4,000 characters
   * @param payload body and headers in JSON, up to 1,000,000 characters. Null if it was not read; a
   *     change with null leaves it as it is, and a new schedule with null has an empty one
   * @param nextAt the nominal instant of the next occurrence, or null if there is none
   * @param countsFrom after which instant this definition counts, a pause's end included; until
   *     then the one before does. Null if that is not known
   * @param lastAt the nominal instant of the last one that fired, or null
   * @param lastKey the row of the last one that fired, or null
   * @param fired how many occurrences have fired
   * @param missed how many lay too far back to fire
   * @param skipped how many did not fire because the one before was not settled
   * @param problem why its rule tells no instant after {@code nextAt}, up to 500 characters; that
   *     one has been dealt with then. Null if all is well
   * @param pausedAt since when it is paused, or null if it is not
   * @param pausedUntil when it resumes by itself, or null
   * @param note why it is paused, up to 500 characters, or null
   * @param orphaned whether the configuration that owns it has it no longer
   * @param changedBy who changed it last, up to 200 characters, or null
   * @param createdAt when it was put in, on the store's clock
   * @param updatedAt when it was changed last by somebody; firing is no change
   */
  record StoredSchedule(
      String name,
      @Nullable String owner,
      long version,
      String definition,
      @Nullable String payload,
      @Nullable Instant nextAt,
      @Nullable Instant countsFrom,
      @Nullable Instant lastAt,
      @Nullable MessageKey lastKey,
      long fired,
      long missed,
      long skipped,
      @Nullable String problem,
      @Nullable Instant pausedAt,
      @Nullable Instant pausedUntil,
      @Nullable String note,
      boolean orphaned,
      @Nullable String changedBy,
      Instant createdAt,
      Instant updatedAt) {

    /** The same, as if its payload had not been read. */
    public StoredSchedule withoutPayload() {
      return new StoredSchedule(
          name,
          owner,
          version,
          definition,
          null,
          nextAt,
          countsFrom,
          lastAt,
          lastKey,
          fired,
          missed,
          skipped,
          problem,
          pausedAt,
          pausedUntil,
          note,
          orphaned,
          changedBy,
          createdAt,
          updatedAt);
    }
  }
}
