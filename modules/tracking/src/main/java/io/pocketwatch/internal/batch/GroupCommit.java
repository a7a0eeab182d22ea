// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.batch;

import io.pocketwatch.internal.base.ByteBudget;
import io.pocketwatch.internal.base.Permits;
import io.pocketwatch.internal.base.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects what many threads add while a batch is being written, and writes it as the next one.
 * Alone a message is written at once; under load a transaction carries many ({@link BatchPace}).
 * What is to wait for its time is written then, or when this is closed.
 */
public final class GroupCommit<T> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GroupCommit.class);
  private static final long LOOK_EVERY_MS = 100;
  private static final long PACE_LOOK = BatchPace.APART.toNanos();
  private static final long AFTER_AN_ERROR = Duration.ofMillis(100).toNanos();

  private final DelayQueue<Waiting> waiting = new DelayQueue<>();
  private final Permits places;
  private final ByteBudget bytes = new ByteBudget();
  private final ToIntFunction<T> bodyLength;
  private final ToLongFunction<T> readyAt;
  private final LongSupplier clock;
  private final AtomicLong added = new AtomicLong();

  /** Of a batch that is being gathered. */
  private final List<Waiting> taken;

  private final int largest;

  /** So many besides the first fill a batch, unless most of them wait for their time. */
  private final int full;

  private final BatchPace pace = new BatchPace(BatchPace.APART, System.nanoTime());
  private final Consumer<List<T>> writer;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean closed;

  /**
   * @param capacity how many may wait
   * @param bodyLength the bytes that one keeps in memory until it is written
   * @param largest the largest batch
   * @param writer writes a batch, and does not throw
   */
  public GroupCommit(
      String name,
      int threads,
      int capacity,
      ToIntFunction<T> bodyLength,
      int largest,
      Consumer<List<T>> writer) {
    this(
        name,
        threads,
        capacity,
        bodyLength,
        largest,
        Math.min(largest, capacity) - 1,
        one -> 0,
        () -> 0,
        writer);
  }

  /**
   * @param readyAt when one is to be written, in nanoseconds of the clock
   * @param clock may be set; what is ready first is written first all the same
   */
  public GroupCommit(
      String name,
      int threads,
      int capacity,
      ToIntFunction<T> bodyLength,
      int largest,
      ToLongFunction<T> readyAt,
      LongSupplier clock,
      Consumer<List<T>> writer) {
    this(name, threads, capacity, bodyLength, largest, Integer.MAX_VALUE, readyAt, clock, writer);
  }

  private GroupCommit(
      String name,
      int threads,
      int capacity,
      ToIntFunction<T> bodyLength,
      int largest,
      int full,
      ToLongFunction<T> readyAt,
      LongSupplier clock,
      Consumer<List<T>> writer) {
    this.places = new Permits(capacity);
    this.bodyLength = bodyLength;
    this.readyAt = readyAt;
    this.clock = clock;
    this.largest = largest;
    this.full = full;
    this.taken = new ArrayList<>(largest);
    this.writer = writer;
    ThreadFactory factory = Threads.named(name);
    for (int i = 0; i < threads; i++) {
      this.threads.add(factory.newThread(this::run));
    }
    this.threads.forEach(Thread::start);
  }

  /** Adds one, waiting for room at most so long; false if there was none, or this is closed. */
  public boolean add(T one, Duration patience) {
    if (closed) {
      return false;
    }
    long deadline = System.nanoTime() + patience.toNanos();
    if (!bytes.take(bodyLength.applyAsInt(one), patience)) {
      return false;
    }
    Waiting added = new Waiting(one);
    boolean in = places.take(1, Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
    if (in) {
      waiting.add(added);
      if (closed && waiting.remove(added)) { // the writers may have gone without it
        places.release();
        in = false;
      }
    }
    if (!in) {
      bytes.give(bodyLength.applyAsInt(one));
    }
    return in;
  }

  /** Takes out what still waits and passes the test: that is not written. */
  public List<T> takeOut(Predicate<T> test) {
    List<T> taken = new ArrayList<>();
    for (Waiting each : List.copyOf(waiting)) {
      T one = each.one;
      if (one != null && test.test(one) && waiting.remove(each)) { // else a writer has it
        places.release();
        bytes.give(bodyLength.applyAsInt(one));
        taken.add(one);
      }
    }
    return taken;
  }

  /** How many more may wait. */
  public int room() {
    return Math.max(0, places.availablePermits());
  }

  public boolean closed() {
    return closed;
  }

  private void run() {
    while (!closed || !waiting.isEmpty()) {
      List<T> batch = List.of();
      try {
        batch = gather();
        if (!batch.isEmpty()) {
          long begun = System.nanoTime();
          writer.accept(batch);
          pace.ended(batch.size(), begun, System.nanoTime());
        }
      } catch (RuntimeException | Error e) { // the thread must outlive it: nobody else writes
        LOG.error("A batch of {} was left half-way", batch.size(), e);
        LockSupport.parkNanos(AFTER_AN_ERROR);
      } finally {
        batch.forEach(each -> bytes.give(bodyLength.applyAsInt(each)));
      }
    }
    wakeOne(); // of those that still wait
  }

  /** One thread at a time, while the others write: two at once would halve the batches. */
  private synchronized List<T> gather() {
    Waiting first = next();
    if (first == null) {
      return List.of();
    }
    awaitPace();
    taken.add(first);
    try {
      waiting.drainTo(taken, largest - 1);
      List<T> batch = taken.stream().flatMap(each -> Stream.ofNullable(each.one)).toList();
      places.release(batch.size());
      return batch;
    } catch (RuntimeException | Error e) { // such as no memory for the batch
      waiting.addAll(taken);
      throw e;
    } finally {
      taken.clear();
    }
  }

  /** A full batch does not wait: with more messages it would not be cheaper. */
  private void awaitPace() {
    long left = pace.left(System.nanoTime());
    while (left > 0 && waiting.size() < full) {
      LockSupport.parkNanos(Math.min(left, PACE_LOOK));
      left = pace.left(System.nanoTime());
    }
    pace.begun(System.nanoTime());
  }

  /** How long one has yet to wait may have changed meanwhile, so it is looked at again. */
  private @Nullable Waiting next() {
    try {
      return waiting.poll(LOOK_EVERY_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      return null; // nobody interrupts our threads but a dying JVM
    }
  }

  /** By nothing to write, before all that waits. */
  private void wakeOne() {
    waiting.add(new Waiting(null));
  }

  /** Takes no more, and writes what waits, for at most so long. */
  public void close(Duration patience) {
    closed = true;
    wakeOne();
    Threads.join(threads, patience);
  }

  @Override
  public void close() {
    close(Duration.ofSeconds(5));
  }

  private final class Waiting implements Delayed {
    private final @Nullable T one;
    private final long ready;
    private final long number = added.incrementAndGet();

    Waiting(@Nullable T one) {
      this.one = one;
      this.ready = one == null ? 0 : readyAt.applyAsLong(one);
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return closed || one == null
          ? 0
          : unit.convert(ready - clock.getAsLong(), TimeUnit.NANOSECONDS);
    }

    /**
     * By what no clock changes: one that is set back must not put what is due behind what is not.
     */
    @Override
    public int compareTo(Delayed other) {
      GroupCommit<?>.Waiting that = (GroupCommit<?>.Waiting) other;
      if (one == null || that.one == null) {
        return Boolean.compare(one != null, that.one != null);
      }
      return ready == that.ready
          ? Long.compare(number, that.number)
          : Long.compare(ready - that.ready, 0);
    }
  }
}
