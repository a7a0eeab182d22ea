// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.batch.Batches;
import io.pocketwatch.internal.batch.Line;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.LoadingStore;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes down in batches how claims ended. */
final class ConclusionWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ConclusionWriter.class);
  private static final String NOT_CONCLUDED =
      "What became of {} messages could not be written; they are sent again when their leases end";
  private static final int WAITING = 200_000;
  private static final int LARGEST_BATCH = 2_000;

  /** The steps of time in which later conclusions are gathered into batches. */
  private static final long STEP = Duration.ofMillis(500).toNanos();

  private static final long SAY_EVERY = Duration.ofSeconds(10).toNanos();

  private static final Duration AFTER_A_FAILURE = Duration.ofMillis(500);

  private final LoadingStore store;
  private final Duration lease;
  private final Scheduler time;
  private final Batches<PendingConclusion> batches;
  private final Batches<PendingConclusion> later;
  private final LongAdder dropped = new LongAdder();
  private final AtomicLong lastSaid;

  ConclusionWriter(LoadingStore store, Duration lease, Scheduler time) {
    this.store = store;
    this.lease = lease;
    this.time = time;
    this.lastSaid = new AtomicLong(time.nanoTime() - 2 * SAY_EVERY);
    this.batches =
        new Batches<>(time, "pocketwatch-conclude", Line.inOrder(), limits(2), this::write);
    this.later =
        new Batches<>(
            time,
            "pocketwatch-conclude-later",
            Line.byTime(PendingConclusion::from, time::nanoTime),
            limits(1),
            this::write);
  }

  /** Conclusions keep no body, so their number alone is limited. */
  private static Batches.Limits<PendingConclusion> limits(int writers) {
    return new Batches.Limits<>(WAITING, each -> 0, LARGEST_BATCH, writers, Batches.APART);
  }

  /**
   * Never waits: the threads that bring the broker's answers write here. The future says whether it
   * applied: if it could not be written, or there is no room for it, it did not.
   */
  CompletableFuture<Boolean> write(Conclusion conclusion) {
    PendingConclusion pending = pending(conclusion, time.nanoTime());
    if (!batches.add(pending, Duration.ZERO)) {
      unwritten(pending, null);
    }
    return pending.applied;
  }

  /**
   * Writes it later, since a message settled by then needs no mark. If this process dies before,
   * the message is sent again when its lease ends, and the guard skips that copy.
   *
   * @param from the {@link Scheduler#nanoTime} from which it is written; at once when this is
   *     closed
   */
  void writeLater(Conclusion conclusion, long from) {
    long step = (Math.floorDiv(from, STEP) + 1) * STEP;
    if (!later.add(pending(conclusion, step), Duration.ZERO)) {
      CompletableFuture<Boolean> unused = write(conclusion);
    }
  }

  private static PendingConclusion pending(Conclusion conclusion, long from) {
    return new PendingConclusion(
        conclusion.withoutContent(), new CompletableFuture<>(), from, from);
  }

  private void write(List<PendingConclusion> batch) {
    try {
      List<Ended> ended =
          store.conclude(batch.stream().map(PendingConclusion::conclusion).toList());
      for (int i = 0; i < ended.size(); i++) {
        // A row that its handler has locked is tried again: the handler may settle it.
        if (ended.get(i) != Ended.LOCKED || !again(batch.get(i), STEP)) {
          batch.get(i).applied.complete(ended.get(i) == Ended.APPLIED);
        }
      }
    } catch (StoreException e) {
      batch.stream()
          .filter(each -> !again(each, AFTER_A_FAILURE.toNanos()))
          .forEach(each -> unwritten(each, e));
    } catch (RuntimeException | Error e) { // whatever it is, no future may stay open
      batch.forEach(each -> unwritten(each, e));
    }
  }

  /** Tries again, until the lease is over: then the message is sent again. */
  private boolean again(PendingConclusion one, long pause) {
    long now = time.nanoTime();
    return now - one.first <= lease.toNanos() && later.add(one.from(now + pause), Duration.ZERO);
  }

  /** Logs only now and then: there may be thousands a second. */
  private void unwritten(PendingConclusion one, @Nullable Throwable why) {
    one.applied.complete(false);
    dropped.increment();
    long now = time.nanoTime();
    long before = lastSaid.get();
    if (now - before > SAY_EVERY && lastSaid.compareAndSet(before, now)) {
      LOG.warn(NOT_CONCLUDED, dropped.sumThenReset(), why);
    }
  }

  @Override
  public void close() {
    later.close();
    batches.close();
  }

  /**
   * @param from the {@link Scheduler#nanoTime} from which it is to be written
   * @param first what that was at first
   */
  private record PendingConclusion(
      Conclusion conclusion, CompletableFuture<Boolean> applied, long from, long first) {
    PendingConclusion from(long then) {
      return new PendingConclusion(conclusion, applied, then, first);
    }
  }
}
