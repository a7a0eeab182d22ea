// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.batch;

import io.pocketwatch.internal.base.ByteBudget;
import io.pocketwatch.internal.base.Permits;
import io.pocketwatch.internal.base.Scheduler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Group commit: collects the items that threads add while a batch is being written, and writes them
 * as the next one. A single item is written at once; under load a transaction has many ({@link
 * BatchPace}). Thread-safe; only {@link #add} may wait, for room.
 */
public final class Batches<T> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Batches.class);

  /** The longest wait before the next look: the clock may have been set meanwhile. */
  private static final long LOOK_AGAIN = Duration.ofMillis(100).toNanos();

  /** The least time between batches whose callers wait. */
  public static final Duration APART = Duration.ofMillis(3);

  /**
   * @param capacity the most items that may wait
   * @param bodyLength the bytes that an item keeps in memory until it is written
   * @param largest the largest batch, which is written without waiting for more
   * @param writers the most batches that are written at a time
   * @param apart the least time between batches that are not hurried
   */
  public record Limits<T>(
      int capacity, ToIntFunction<T> bodyLength, int largest, int writers, Duration apart) {
    /** For callers that limit the waiting items themselves. */
    public static <T> Limits<T> unbounded(int largest, Duration apart) {
      return new Limits<>(Integer.MAX_VALUE, one -> 0, largest, 1, apart);
    }
  }

  /** When {@link #writeNext} runs next, or as soon as one of the threads has ended its batch. */
  private record Plan(Future<?> task, long at) {}

  private final Scheduler time;
  private final Limits<T> limits;
  private final Consumer<List<T>> writer;
  private final ScheduledExecutorService threads;
  private final Permits places;
  private final @Nullable ByteBudget bytes;

  /** Guards itself and what follows. */
  private final Line<T> line;

  private final BatchPace pace;
  private @Nullable Plan plan;
  private volatile boolean closed;

  /**
   * @param name of its threads
   * @param writer writes a batch, and does not throw
   */
  public Batches(
      Scheduler time, String name, Line<T> line, Limits<T> limits, Consumer<List<T>> writer) {
    this.time = time;
    this.line = line;
    this.limits = limits;
    this.writer = writer;
    this.threads = time.timer(name, limits.writers);
    this.places = new Permits(limits.capacity);
    this.bytes = limits.capacity == Integer.MAX_VALUE ? null : new ByteBudget();
    this.pace = new BatchPace(limits.apart, time.nanoTime());
  }

  /** Adds an item, waiting for room at most so long; false without room, or if this is closed. */
  public boolean add(T one, Duration patience) {
    return add(one, patience, false);
  }

  /** Adds an item whose batch is waited for. */
  public boolean addHurried(T one) {
    return add(one, Duration.ZERO, true);
  }

  private boolean add(T one, Duration patience, boolean hurried) {
    long deadline = time.nanoTime() + patience.toNanos();
    if (closed || (bytes != null && !bytes.take(limits.bodyLength.applyAsInt(one), patience))) {
      return false;
    }
    if (places.take(1, Duration.ofNanos(Math.max(0, deadline - time.nanoTime())))) {
      synchronized (line) {
        if (!closed) {
          line.add(one);
          plan(hurried);
          return true;
        }
      }
      places.release();
    }
    giveBytes(List.of(one));
    return false;
  }

  /** Writes the added items soon, since they are waited for. */
  public void hurry() {
    synchronized (line) {
      plan(true);
    }
  }

  /** Takes out the waiting items that pass the test, which are then not written. */
  public List<T> takeOut(Predicate<T> test) {
    List<T> taken;
    synchronized (line) {
      taken = line.remove(test);
    }
    places.release(taken.size());
    giveBytes(taken);
    return taken;
  }

  /** The number of items for which there is room. */
  public int room() {
    return Math.max(0, places.availablePermits());
  }

  public boolean closed() {
    return closed;
  }

  private void plan(boolean hurried) {
    if (hurried && line.size() > 0) {
      pace.hurry();
    }
    if (closed || line.size() == 0) {
      return;
    }
    long now = time.nanoTime();
    long wait = Math.max(0, left(now));
    Plan before = plan;
    if (before != null && before.at - now <= wait) {
      return;
    }
    if (before != null) {
      before.task.cancel(false);
    }
    plan = new Plan(threads.schedule(this::writeNext, wait, TimeUnit.NANOSECONDS), now + wait);
  }

  /** For how long the next batch has yet to wait. */
  private long left(long now) {
    try {
      long untilReady = line.untilReady();
      if (untilReady > 0) {
        return Math.min(untilReady, LOOK_AGAIN);
      }
      return line.fills(Math.min(limits.largest, limits.capacity)) ? 0 : pace.left(now);
    } catch (RuntimeException | Error e) { // such as no memory: nobody else writes what waits
      LOG.error("Nobody knows for how long the next batch waits", e);
      return LOOK_AGAIN;
    }
  }

  private void writeNext() {
    long begun = time.nanoTime();
    List<T> batch = begin(begun);
    if (!batch.isEmpty()) {
      write(batch);
      synchronized (line) {
        pace.ended(batch.size(), begun, time.nanoTime());
      }
    }
  }

  private List<T> begin(long now) {
    synchronized (line) {
      plan = null;
      List<T> batch = !closed && left(now) <= 0 ? line.next(limits.largest, false) : List.of();
      if (!batch.isEmpty()) {
        pace.begun(now);
      }
      plan(false); // for another thread, for when this batch has ended, or for later
      return batch;
    }
  }

  private void write(List<T> batch) {
    places.release(batch.size());
    try {
      writer.accept(batch);
    } catch (RuntimeException | Error e) { // those that wait must be written all the same
      LOG.error("A batch of {} was left half-way", batch.size(), e);
    } finally {
      giveBytes(batch);
    }
  }

  private void giveBytes(List<T> those) {
    ByteBudget budget = bytes;
    if (budget != null) {
      those.forEach(each -> budget.give(limits.bodyLength.applyAsInt(each)));
    }
  }

  /** Takes no more items, and writes all waiting ones at once, for at most so long. */
  public void close(Duration patience) {
    synchronized (line) {
      if (closed) {
        return;
      }
      closed = true;
      if (plan != null) {
        plan.task.cancel(false);
      }
    }
    for (int i = 0; i < limits.writers; i++) {
      threads.execute(this::writeRest);
    }
    threads.shutdown();
    try {
      boolean unused = threads.awaitTermination(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void writeRest() {
    for (List<T> batch = rest(); !batch.isEmpty(); batch = rest()) {
      write(batch);
    }
  }

  private List<T> rest() {
    synchronized (line) {
      return line.next(limits.largest, true);
    }
  }

  @Override
  public void close() {
    close(Duration.ofSeconds(5));
  }
}
