// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.process;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.lab.faults.account.Journal;
import io.pocketwatch.lab.faults.account.Journal.Step;
import io.pocketwatch.lab.faults.account.Messages.Message;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SchedulingStore;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Cancels some tracked messages halfway to their instant, and moves as many to a later one. Where
 * no answer comes, it asks again, as an application would.
 */
final class Changing implements AutoCloseable {
  private static final int ONE_IN = 20;
  private static final Duration LATER = Duration.ofSeconds(2);
  private static final long PAUSE_MILLIS = 500;

  private final SchedulingStore store;
  private final Journal journal;

  /** Of its own: a database that does not answer must not keep others from sending. */
  private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);

  Changing(SchedulingStore store, Journal journal) {
    this.store = store;
    this.journal = journal;
  }

  /** Changes it when half of its delay is over, if it is one of those. */
  void halfway(Message message) {
    // Not the consumer's lot: some of these messages are put off as well.
    int lot = Math.floorMod(message.id().hashCode() / ONE_IN, ONE_IN);
    if (message.lane().guarded() && lot <= 1) {
      Instant half = message.at().plus(message.delay().dividedBy(2));
      long wait = Duration.between(Instant.now(), half).toMillis();
      later(message, lot == 0, Math.max(0, wait));
    }
  }

  private void later(Message message, boolean cancels, long millis) {
    if (!threads.isShutdown()) {
      threads.schedule(() -> change(message, cancels), millis, TimeUnit.MILLISECONDS);
    }
  }

  private void change(Message message, boolean cancels) {
    MessageKey key = new MessageKey(message.lane().name(), message.id());
    Instant to = message.due().plus(LATER);
    try {
      if (cancels) {
        noteIfDone(store.cancel(key), Step.CANCELLED, Instant.now(), message);
      } else {
        journal.note(Step.MOVING, to.toEpochMilli(), message.id());
        noteIfDone(store.reschedule(key, to), Step.MOVED, to, message);
      }
    } catch (StoreException e) {
      later(message, cancels, PAUSE_MILLIS); // it may have happened; done twice is done once
    }
  }

  /** Else it was handled before, or just then. */
  private void noteIfDone(ChangeOutcome outcome, Step step, Instant at, Message message) {
    if (outcome == ChangeOutcome.DONE) {
      journal.note(step, at.toEpochMilli(), message.id());
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
