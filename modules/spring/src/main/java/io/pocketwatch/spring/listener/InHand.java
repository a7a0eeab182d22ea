// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.HandlingEnd;
import io.pocketwatch.guard.KeptLease;
import io.pocketwatch.store.Handling;
import io.pocketwatch.store.MessageKey;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One delivery that a listener has been given, until it is settled, failed or released; the first
 * of these ends it, further ones do nothing. Thread-safe: futures end on any thread.
 */
final class InHand {
  private static final Logger LOG = LoggerFactory.getLogger(InHand.class);

  private final @Nullable DeliveryGuard guard;
  private final String consumer;
  private final long tag;
  private final @Nullable MessageKey key;
  private final @Nullable Handling handling;
  private final @Nullable KeptLease lease;
  private final BooleanSupplier wanted;

  /** No monitor: the store is asked under it, and a virtual thread must not keep its carrier. */
  private final ReentrantLock lock = new ReentrantLock();

  private boolean ended;
  private boolean settled;
  private boolean overtaken;
  private @Nullable Throwable givenUp;

  /**
   * @param guard null if there is no store
   * @param handling null if there is nothing to settle
   * @param wanted whether anyone waits for the store's answer
   */
  InHand(
      @Nullable DeliveryGuard guard,
      String consumer,
      long tag,
      @Nullable MessageKey key,
      @Nullable Handling handling,
      BooleanSupplier wanted) {
    this.guard = guard;
    this.consumer = consumer;
    this.tag = tag;
    this.key = key;
    this.handling = handling;
    this.lease = guard == null ? null : guard.keepLease(handling);
    this.wanted = wanted;
  }

  long tag() {
    return tag;
  }

  @Nullable Handling handling() {
    return handling;
  }

  /** The listener's transaction has settled it, and has committed. */
  void settledInTransaction() {
    locked(() -> settled = true);
    keepNoLonger();
  }

  /** The listener's transaction could not settle it: someone else handles it, or has. */
  void overtaken() {
    locked(() -> overtaken = true);
  }

  boolean isOvertaken() {
    return locked(() -> overtaken);
  }

  /** A part of the work is not done, and the container took the failure for its own. */
  void giveUp(Throwable cause) {
    locked(() -> givenUp = cause);
  }

  /** Fails it if a part of the work was given up; returns whether it was. */
  boolean failIfGivenUp() {
    return locked(
        () -> {
          if (givenUp != null) {
            fail(givenUp);
          }
          return givenUp != null;
        });
  }

  /** The work is done. {@code NO_ANSWER} if that could not be recorded: it is to come again. */
  HandlingEnd settle() {
    return locked(
        () -> {
          failIfGivenUp();
          return end(this::settle);
        });
  }

  private HandlingEnd settle(DeliveryGuard by, Handling what) {
    HandlingEnd end = settled ? HandlingEnd.APPLIED : by.settle(what, wanted);
    if (end == HandlingEnd.APPLIED) {
      by.tell(to -> to.settled(consumer, what.key()));
    } else if (end == HandlingEnd.OVERTAKEN) {
      LOG.warn("{} was handled by {} too late: it was taken over", what.key(), consumer);
      by.tell(to -> to.overtaken(consumer, what.key()));
    } else {
      LOG.warn("{} was handled, but could not be settled; it is handled again", what.key());
    }
    return end;
  }

  /** The work is not done, and the message goes where the container sends what is rejected. */
  HandlingEnd fail(Throwable cause) {
    return locked(
        () -> {
          if (!ended && guard != null) {
            guard.tell(to -> to.failed(consumer, key, Causes.listeners(cause)));
          }
          return end((by, what) -> by.fail(what, Causes.listeners(cause), wanted));
        });
  }

  /** The work is not done, and the message comes again. */
  HandlingEnd abandon() {
    return locked(() -> end((by, what) -> by.abandon(what, wanted)));
  }

  private HandlingEnd end(Ending ending) {
    if (ended) {
      return HandlingEnd.APPLIED;
    }
    ended = true;
    try {
      return guard == null || handling == null ? HandlingEnd.APPLIED : ending.of(guard, handling);
    } finally {
      keepNoLonger();
    }
  }

  private <T> T locked(Supplier<T> work) {
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }

  /** Lets what is left of the lease run out: nobody is known to end this any more. */
  void keepNoLonger() {
    if (lease != null) {
      lease.close();
    }
  }

  @Override
  public String toString() {
    return key != null ? key.toString() : "a message of " + consumer;
  }

  /** What the store is asked to record. */
  @FunctionalInterface
  private interface Ending {
    HandlingEnd of(DeliveryGuard guard, Handling handling);
  }
}
