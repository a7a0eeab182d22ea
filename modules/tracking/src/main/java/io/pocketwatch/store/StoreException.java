// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import io.pocketwatch.BrokerIdentity;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.PocketwatchException;
import io.pocketwatch.store.SchedulingStore.ManyChanged;

/** The database did not answer as it should; the change may or may not have happened. */
public class StoreException extends PocketwatchException {
  private static final long serialVersionUID = 1L;

  public StoreException(String message, Throwable cause) {
    super(message, cause);
  }

  public StoreException(String message) {
    super(message);
  }

  /**
   * The store certainly did nothing of what it was asked. The database was not reached, or the
   * transaction failed before its commit was sent. Any other {@link StoreException} may have left
   * the change behind.
   */
  public static class StoreUnchangedException extends StoreException {
    private static final long serialVersionUID = 1L;

    public StoreUnchangedException(String message, Throwable cause) {
      super(message, cause);
    }

    public StoreUnchangedException(String message) {
      super(message);
    }
  }

  /**
   * A change of many messages ended in the middle. What {@link #done} counts is done for good. What
   * the last transaction was to change may be done as well, and is not counted as such.
   */
  public static final class PartlyChangedException extends StoreException {
    private static final long serialVersionUID = 1L;

    private final transient ManyChanged done;
    private final RuntimeException why;

    public PartlyChangedException(ManyChanged done, RuntimeException cause) {
      super(
          "%s messages were changed, then it ended: %s"
              .formatted(done.count(ChangeOutcome.DONE), cause.getMessage()),
          cause);
      this.done = done;
      this.why = cause;
    }

    /** The same after some that were changed before. */
    public PartlyChangedException after(ManyChanged before) {
      return new PartlyChangedException(before.plus(done), why);
    }

    /** What was done before the failure. To go on after its {@code next} changes nothing twice. */
    public ManyChanged done() {
      return done;
    }
  }

  /**
   * The store's messages go to another broker than the one we are connected to, as in a copy of a
   * database. Nothing is stored, and nothing is sent.
   */
  public static final class WrongBrokerException extends StoreUnchangedException {
    private static final long serialVersionUID = 1L;

    /**
     * @param own the broker to which the store's messages go
     * @param there the one we are connected to
     */
    public WrongBrokerException(BrokerIdentity own, BrokerIdentity there) {
      super(
          ("the messages of this store go to %s; connected is %s. To try a copy of a database, empty"
                  + " its pocketwatch_ tables first. To move the store to this broker, stop all that"
                  + " use it, then run: pocketwatch adopt")
              .formatted(own, there));
    }
  }

  /** Nothing was changed, because another transaction has had a row locked for too long. */
  public static final class RowLockedException extends StoreUnchangedException {
    private static final long serialVersionUID = 1L;

    public RowLockedException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
