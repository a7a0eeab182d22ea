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
 * Collects what many threads add while a batch is being written, and writes it as the next one.
 * Alone a message is written at once; under load a transaction carries many ({@link BatchPace}).
 * Thread-safe; only {@link #add} may wait, for room.
 */
public final class Batches<T> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Batches.class);

  /** How long one has yet to wait may have changed meanwhile: the clock may have been set. */
  private static final long LOOK_AGAIN = Duration.ofMillis(100).toNanos();

  /** Batches begin at least so far apart where somebody waits for each. */
  public static final Duration APART = Duration.ofMillis(3);

  /**
   * @param capacity how many may wait
   * @param bodyLength the bytes that one keeps in memory until it is written
   * @param largest the largest batch; so many do not wait for more
   * @param writers how many batches are written at a time at most
   * @param apart batches that nobody hurries begin at least so far apart
   */
  public record Limits<T>(
      int capacity, ToIntFunction<T> bodyLength, int largest, int writers, Duration apart) {
    /** For those who bound what waits themselves. */
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

  /** Adds one, waiting for room at most so long; false if there was none, or this is closed. */
  public boolean add(T one, Duration patience) {
    return add(one, patience, false);
  }

  /** Adds one for whose batch somebody waits. */
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

  /** Somebody waits for what was added. */
  public void hurry() {
    synchronized (line) {
      plan(true);
    }
  }

  /** Takes out what still waits and passes the test: that is not written. */
  public List<T> takeOut(Predicate<T> test) {
    List<T> taken;
    synchronized (line) {
      taken = line.remove(test);
    }
    places.release(taken.size());
    giveBytes(taken);
    return taken;
  }

  /** How many more may wait. */
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

  /** Takes no more, and writes all that waits without waiting for its time, for so long at most. */
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
