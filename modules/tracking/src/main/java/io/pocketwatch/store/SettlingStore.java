// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The store's part for the delivery guard. Each call is one transaction for its whole list, which
 * names no message twice. A handling is known by its token. A begin or a settle may be repeated if
 * its answer was lost; any other ending, repeated, is answered as overtaken. A row locked by
 * another transaction is skipped and answered as locked, so that no caller waits for another; ask
 * again later. A message belongs to one consumer: all that read one queue.
 */
public interface SettlingStore {
  /**
   * Asks to handle copies that have arrived. The answer is {@code HANDLE} only if the message is
   * not settled or cancelled, the generation is equal, and no other handling's lease runs. The row
   * is then {@code PENDING} and held under the handling's token. When the lease is over, loaders
   * may claim it.
   *
   * @param lease how long until another consumer may begin, unless it is extended
   * @return the answers, in order
   */
  List<Begun> begin(List<Beginning> copies, Duration lease);

  /**
   * Ends handlings. Each must still be its consumer's last one, of the message's generation.
   *
   * @return the results, in order
   */
  List<Ended> end(List<Ending> endings);

  /**
   * Settles a handling in a transaction of the caller's. Its row is locked until that ends, and
   * {@link Ending#settledIn} tells what came of it.
   *
   * @param transaction of the store's database, as that kind of store takes it
   * @return false if the handling is no longer its consumer's last, or was settled before: the
   *     transaction must be rolled back
   * @throws IllegalArgumentException if the store cannot settle in this transaction
   */
  boolean settleIn(Object transaction, Handling handling);

  /**
   * Extends leases, to this long from now.
   *
   * @return for each, in order, false if the handling was taken over or has ended. A locked row
   *     gives true, since another call is just ending it
   */
  List<Boolean> extend(List<Handling> handlings, Duration lease);

  /** The store's clock; asks the store. */
  Instant now();

  /**
   * A copy that has arrived, and the handling to begin.
   *
   * @param handling its token is the caller's choice: unique, 1 to 36 ASCII characters
   * @param generation the version of the message that the copy is of
   * @param early whether the copy's own instant has not come, by more than the asker tolerates.
   *     Where its row sends another copy, the row's instant and the store's clock decide
   */
  record Beginning(Handling handling, int generation, boolean early) {
    /** A copy whose instant has come. */
    public Beginning(Handling handling, int generation) {
      this(handling, generation, false);
    }
  }

  /**
   * The answer to a {@link Beginning}.
   *
   * @param verdict what to do with the copy
   * @param attempts how often this consumer has deferred or retried it; none unless {@code HANDLE}
   * @param other with {@code OTHER_CONSUMER}, whose the message is; else null
   */
  record Begun(Verdict verdict, Attempts attempts, @Nullable String other) {

    /** An answer with only a verdict. */
    public static Begun of(Verdict verdict) {
      return new Begun(verdict, Attempts.NONE, null);
    }

    public static Begun handle(Attempts attempts) {
      return new Begun(Verdict.HANDLE, attempts, null);
    }

    public static Begun otherConsumer(String other) {
      return new Begun(Verdict.OTHER_CONSUMER, Attempts.NONE, other);
    }

    /** What to do with a copy that has arrived. */
    public enum Verdict {
      /** Handle it, then end the handling. */
      HANDLE,
      /** It was settled before. Skip the copy. */
      SETTLED,
      /** It was cancelled. Skip the copy. */
      CANCELLED,
      /**
       * It was rescheduled, and the copy is of an earlier generation; or it is early, and its row
       * sends another one in time. Skip it.
       */
      OUTDATED,
      /** It is early, and its row does not send it again: hold the copy again. */
      EARLY,
      /**
       * Another handling is under way, or it was put off. Skip the copy: the row sends another when
       * that handling ends unsettled, when its lease is over, or at the next try.
       */
      BUSY,
      /**
       * Another consumer has settled or deferred it, and a message has one consumer. The copy must
       * stay in its queue: this consumer was not meant to get it.
       */
      OTHER_CONSUMER,
      /**
       * There is no such row. Handle the copy, and count it: its row may be deleted, or in another
       * database.
       */
      UNKNOWN,
      /**
       * Ask again, and keep the copy. Somebody else has locked the row, so nothing is known; or
       * another consumer handles it, and may yet fail.
       */
      LOCKED
    }
  }

  /**
   * How often a consumer has deferred or retried the present generation of a message.
   *
   * @param postponed in all
   * @param retries the number of retries among these
   */
  record Attempts(int postponed, int retries) {
    public static final Attempts NONE = new Attempts(0, 0);
  }

  /**
   * When and where a message comes again to one of its consumers.
   *
   * @param until the earliest instant
   * @param queue the consumer's queue, up to 255 characters; other queues get no copy
   * @param retry whether it uses up one of its route's retries
   */
  record Postponement(Instant until, String queue, boolean retry) {}

  /** What became of an {@link Ending}, or of a {@link Conclusion}. */
  enum Ended {
    /** The ending applies, now or, for a settle, since an earlier call. */
    APPLIED,
    /** It had ended, or the message was taken over, cancelled or rescheduled. */
    OVERTAKEN,
    /** Another transaction has locked the row. Ask again. */
    LOCKED
  }

  /**
   * How a handling ends.
   *
   * @param reason for people; null where it is settled, and may be with {@code REQUEUE}
   * @param postponement set only with {@code POSTPONE}
   */
  record Ending(
      Handling handling, Kind kind, @Nullable String reason, @Nullable Postponement postponement) {

    /** SETTLE, FAIL and REQUEUE are AMQP's acknowledge, reject and requeue. */
    public enum Kind {
      /** The work is done: the message is {@code SETTLED}. */
      SETTLE,
      /**
       * The consumer has settled it by {@link SettlingStore#settleIn}. It applies if that
       * transaction has committed, and otherwise changes nothing.
       */
      SETTLED_IN,
      /**
       * The work is not done: the message is {@code FAILED}. If another copy was skipped meanwhile,
       * it is {@code PENDING} instead and sent again at once.
       */
      FAIL,
      /** The work is given up: the message is {@code PARKED}, and kept for a person. */
      PARK,
      /**
       * The work is not done, and is to be tried again later. The message is {@code PENDING} with a
       * reason, and its row sends it to its consumer's queue alone. Until then a copy is {@code
       * BUSY}.
       */
      POSTPONE,
      /**
       * The work is not run after all, or to be run again at once. The message is {@code HELD}, and
       * its copy goes back to its queue. If another copy was skipped meanwhile, it is {@code
       * PENDING} instead and sent again at once.
       */
      REQUEUE
    }

    public static Ending settle(Handling handling) {
      return new Ending(handling, Kind.SETTLE, null, null);
    }

    public static Ending settledIn(Handling handling) {
      return new Ending(handling, Kind.SETTLED_IN, null, null);
    }

    public static Ending fail(Handling handling, String reason) {
      return new Ending(handling, Kind.FAIL, reason, null);
    }

    public static Ending park(Handling handling, String reason) {
      return new Ending(handling, Kind.PARK, reason, null);
    }

    public static Ending postpone(Handling handling, Postponement postponement, String reason) {
      return new Ending(handling, Kind.POSTPONE, reason, postponement);
    }

    public static Ending requeue(Handling handling, @Nullable String reason) {
      return new Ending(handling, Kind.REQUEUE, reason, null);
    }
  }

  /**
   * The right to handle one copy.
   *
   * @param key the message
   * @param consumer who handles it
   * @param token names this handling, so that a settle of another one does not apply
   */
  record Handling(MessageKey key, String consumer, String token) {}
}
