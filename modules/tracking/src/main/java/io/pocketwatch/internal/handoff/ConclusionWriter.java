// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import io.pocketwatch.internal.batch.GroupCommit;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.LoadingStore;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes down in batches how claims ended. */
final class ConclusionWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ConclusionWriter.class);
  private static final String WHAT_THEN =
      "What became of {} messages could not be written; they are sent again when their leases end";
  private static final int WAITING = 200_000;
  private static final int LARGEST_BATCH = 2_000;

  /** Those written later go in batches of so long. */
  private static final long STEP = Duration.ofMillis(500).toNanos();

  private static final long SAY_EVERY = Duration.ofSeconds(10).toNanos();

  private final LoadingStore store;
  private final Duration lease;
  private final GroupCommit<Ending> batches;
  private final GroupCommit<Ending> later;
  private final LongAdder dropped = new LongAdder();
  private final AtomicLong lastSaid = new AtomicLong(System.nanoTime() - 2 * SAY_EVERY);

  ConclusionWriter(LoadingStore store, Duration lease) {
    this.store = store;
    this.lease = lease;
    this.batches =
        new GroupCommit<>(
            "pocketwatch-conclude", 2, WAITING, each -> 0, LARGEST_BATCH, this::write);
    this.later =
        new GroupCommit<>(
            "pocketwatch-conclude-later",
            1,
            WAITING,
            each -> 0, // they keep no body
            LARGEST_BATCH,
            Ending::since,
            System::nanoTime,
            this::write);
  }

  /**
   * Never waits: the threads that bring the broker's answers write here. The future says whether it
   * applied: if it could not be written, or there is no room for it, it did not.
   */
  CompletableFuture<Boolean> write(Conclusion conclusion) {
    Ending ending = ending(conclusion, System.nanoTime());
    if (!batches.add(ending, Duration.ZERO)) {
      noRoom();
      ending.applied.complete(false);
    }
    return ending.applied;
  }

  private static Ending ending(Conclusion conclusion, long since) {
    return new Ending(conclusion.withoutContent(), new CompletableFuture<>(), since, since);
  }

  /** Said once in a while: there may be thousands a second. */
  private void noRoom() {
    dropped.increment();
    long now = System.nanoTime();
    long before = lastSaid.get();
    if (now - before > SAY_EVERY && lastSaid.compareAndSet(before, now)) {
      LOG.warn(WHAT_THEN, dropped.sumThenReset());
    }
  }

  /**
   * Writes it later, for what is settled by then needs no mark. Should this process die before, the
   * message is sent again when its lease ends, and the guard skips that copy.
   *
   * @param from the {@link System#nanoTime} from which it is written; at once when this is closed
   */
  void writeLater(Conclusion conclusion, long from) {
    long step = (Math.floorDiv(from, STEP) + 1) * STEP;
    if (!later.add(ending(conclusion, step), Duration.ZERO)) {
      CompletableFuture<Boolean> unused = write(conclusion);
    }
  }

  /** Tries until the leases are over: what is not written is sent again. */
  private void write(List<Ending> batch) {
    List<Conclusion> conclusions = batch.stream().map(Ending::conclusion).toList();
    while (true) {
      try {
        List<Ended> ended = store.conclude(conclusions);
        for (int i = 0; i < ended.size(); i++) {
          ended(batch.get(i), ended.get(i));
        }
        return;
      } catch (StoreException e) {
        if (System.nanoTime() - batch.get(0).since > lease.toNanos() || !pause()) {
          LOG.warn(WHAT_THEN, batch.size(), e);
          batch.forEach(each -> each.applied.complete(false));
          return;
        }
      } catch (RuntimeException | Error e) { // whatever it is, no future may stay open
        LOG.error(WHAT_THEN, batch.size(), e);
        batch.forEach(each -> each.applied.complete(false));
        return;
      }
    }
  }

  /** What its handler has locked is asked for again, as long as a lease is: that may settle it. */
  private void ended(Ending one, Ended how) {
    long now = System.nanoTime();
    if (how != Ended.LOCKED || now - one.first > lease.toNanos()) {
      one.applied.complete(how == Ended.APPLIED);
    } else if (!later.add(one.from(now + STEP), Duration.ZERO)) {
      noRoom();
      one.applied.complete(false);
    }
  }

  private static boolean pause() {
    try {
      Thread.sleep(500);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    later.close();
    batches.close();
  }

  /**
   * @param since the {@link System#nanoTime} of it, or from which it is to be written
   * @param first what that was when nobody had found it locked
   */
  private record Ending(
      Conclusion conclusion, CompletableFuture<Boolean> applied, long since, long first) {
    Ending from(long then) {
      return new Ending(conclusion, applied, then, first);
    }
  }
}
