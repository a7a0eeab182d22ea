// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.StoreException.RowLockedException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
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

  /** Messages of a query in the order of {@code (deliverAt, route, id)}. */
  List<StoredMessage> list(MessageQuery query);

  /** How many messages match; {@code limit} and {@code after} are ignored. */
  long count(MessageQuery query);

  /**
   * {@code CANCELLED} unless settled or being handled. A {@code HANDOFF} row can only be cancelled
   * while it is {@code PENDING} and not leased: nobody would skip the copy on the broker.
   */
  default ChangeOutcome cancel(MessageKey key) {
    return cancel(key, null);
  }

  /**
   * {@link #cancel(MessageKey)}, and keeps who did it.
   *
   * @param actor 1 to 200 characters, or null
   */
  ChangeOutcome cancel(MessageKey key, @Nullable String actor);

  /**
   * Back to {@code PENDING} with a new instant and a new generation, unless settled, cancelled or
   * being handled. Copies of earlier generations are skipped when they arrive. {@code HANDOFF} rows
   * as in {@link #cancel}.
   *
   * @throws IllegalArgumentException if the instant is after {@link
   *     io.pocketwatch.config.DelayLimits#LATEST}
   */
  default ChangeOutcome reschedule(MessageKey key, Instant deliverAt) {
    return reschedule(key, deliverAt, null);
  }

  /** {@link #reschedule(MessageKey, Instant)}, and keeps who did it, as {@link #cancel} does. */
  ChangeOutcome reschedule(MessageKey key, Instant deliverAt, @Nullable String actor);

  /**
   * By hand: {@code PARKED}, {@code FAILED} or {@code HELD} back to {@code PENDING}, attempts 0, a
   * new generation, its instant kept. {@code TOO_LATE} if settled or cancelled.
   */
  default ChangeOutcome release(MessageKey key) {
    return release(key, null);
  }

  /** {@link #release(MessageKey)}, and keeps who did it, as {@link #cancel} does. */
  ChangeOutcome release(MessageKey key, @Nullable String actor);

  /** What an insert found. */
  enum InsertOutcome {
    /** The row is new. */
    INSERTED,
    /**
     * The same message was there already: same target, content and instant. Nothing changed.
     * Headers by which calls are traced do not count: they are another in each call.
     */
    DUPLICATE,
    /** Another message has this id: other target, content or instant. Nothing changed. */
    CONFLICT
  }
}
