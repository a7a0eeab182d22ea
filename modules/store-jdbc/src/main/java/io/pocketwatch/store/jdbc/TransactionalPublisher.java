// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.handoff.HandOff.Prepared;
import io.pocketwatch.store.IdConflictException;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.tracking.TrackedPublisher;
import java.sql.Connection;
import java.util.List;

/**
 * Stores messages in the caller's own JDBC transaction: they exist if it commits, and do not if it
 * rolls back. Thread-safe.
 *
 * <pre>{@code
 * connection.setAutoCommit(false);
 * saveOrder(connection, order);
 * InTransaction timeout = transactional.publish(connection, message);
 * connection.commit();
 * timeout.committed(); // at once; without it, a loader takes it when the row's lease ends
 * }</pre>
 *
 * The connection must reach the database of the store. The broker is not needed: messages that
 * cannot be handed off stay in the database.
 */
public final class TransactionalPublisher {
  private final HandOff handOff;
  private final JdbcDelayStore store;

  /**
   * @param publisher a publisher that was built with this store
   */
  public TransactionalPublisher(TrackedPublisher publisher, JdbcDelayStore store) {
    this.handOff = publisher.unwrap(HandOff.class);
    this.store = store;
  }

  /**
   * Inserts the message's row. Neither commits nor rolls back, and leaves the transaction usable,
   * unless it throws {@link StoreException}. Call it at READ COMMITTED, or as the first statement;
   * see {@link JdbcDelayStore#insert(Connection, List, io.pocketwatch.store.Claim.Lease)}.
   *
   * @throws InvalidMessageException if the message could never be sent as it is
   * @throws IdConflictException if another message has its id
   * @throws IllegalArgumentException if the connection is in auto-commit mode
   */
  public InTransaction publish(Connection connection, DelayedMessage message) {
    Prepared prepared = handOff.prepare(message);
    ScheduledMessage row = prepared.row();
    InsertOutcome outcome = store.insert(connection, List.of(row), prepared.lease()).get(0);
    if (outcome == InsertOutcome.CONFLICT) {
      throw new IdConflictException(row.key(), row.deliverAt(), "");
    }
    return new InTransaction(handOff, store, prepared, outcome == InsertOutcome.DUPLICATE);
  }

  /** A message whose row waits for its transaction to commit. */
  public static final class InTransaction {
    private final HandOff handOff;
    private final JdbcDelayStore store;
    private final Prepared prepared;
    private final boolean duplicate;

    private InTransaction(
        HandOff handOff, JdbcDelayStore store, Prepared prepared, boolean duplicate) {
      this.handOff = handOff;
      this.store = store;
      this.prepared = prepared;
      this.duplicate = duplicate;
    }

    /** The key of the row. */
    public MessageKey key() {
      return prepared.row().key();
    }

    /** Whether the same message was stored before under this id; nothing was added. */
    public boolean duplicate() {
      return duplicate;
    }

    /**
     * Deletes the row again, in the transaction that inserted it; one that was there before stays.
     * Neither commits nor rolls back. For a message that came too late for its transaction.
     *
     * @param connection the connection it was inserted on, which has not committed since
     * @return whether nothing of the message is left
     * @throws IllegalArgumentException if the connection is in auto-commit mode
     * @throws StoreException if the database does not answer, or refuses
     */
    public boolean undo(Connection connection) {
      return duplicate || store.undoInsert(connection, key());
    }

    /**
     * Hands the message off if it is within the horizon. Call it after the commit only: before it,
     * the message could arrive although the transaction rolls back. Returns at once, does no SQL
     * and never throws.
     */
    public void committed() {
      if (!duplicate) {
        handOff.committed(prepared);
      }
    }
  }
}
