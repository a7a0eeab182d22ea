// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects what many threads add while a batch is being written, and writes it as the next one:
 * alone a message is written at once, under load a transaction carries many.
 */
final class Batches<T> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Batches.class);
  private static final long LOOK_EVERY_MS = 100;

  private final BlockingQueue<T> waiting;
  private final ToIntFunction<T> bodyLength;
  private final ByteBudget bytes = new ByteBudget();
  private final int largest;
  private final Consumer<List<T>> writer;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean closed;

  /**
   * @param capacity how many may wait
   * @param bodyLength the bytes that one keeps in memory until it is written
   * @param largest the largest batch
   * @param writer writes a batch, and does not throw
   */
  Batches(
      String name,
      int threads,
      int capacity,
      ToIntFunction<T> bodyLength,
      int largest,
      Consumer<List<T>> writer) {
    this.bodyLength = bodyLength;
    this.waiting = new ArrayBlockingQueue<>(capacity);
    this.largest = largest;
    this.writer = writer;
    ThreadFactory factory = Threads.named(name);
    for (int i = 0; i < threads; i++) {
      this.threads.add(factory.newThread(this::run));
    }
    this.threads.forEach(Thread::start);
  }

  /** Adds one, waiting for room at most so long; false if there was none, or this is closed. */
  boolean add(T one, Duration patience) {
    if (closed) {
      return false;
    }
    long deadline = System.nanoTime() + patience.toNanos();
    int length = bodyLength.applyAsInt(one);
    if (!bytes.take(length, patience)) {
      return false;
    }
    boolean in = false;
    try {
      in = waiting.offer(one, Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
      // Closed meanwhile, the writers may have gone without it.
      in &= !(closed && waiting.remove(one));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!in) {
      bytes.give(length);
    }
    return in;
  }

  private void run() {
    while (!closed || !waiting.isEmpty()) {
      T first = next();
      if (first == null) {
        continue;
      }
      List<T> batch = new ArrayList<>();
      batch.add(first);
      waiting.drainTo(batch, largest - 1);
      try {
        writer.accept(batch);
      } catch (RuntimeException | Error e) { // the thread must outlive it: nobody else writes
        LOG.error("A batch of {} was left half-way", batch.size(), e);
      } finally {
        batch.forEach(each -> bytes.give(bodyLength.applyAsInt(each)));
      }
    }
  }

  private @Nullable T next() {
    try {
      return waiting.poll(LOOK_EVERY_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      return null; // nobody interrupts our threads but a dying JVM
    }
  }

  /** Takes no more, and writes what waits, for at most so long. */
  void close(Duration patience) {
    closed = true;
    long end = System.nanoTime() + patience.toNanos();
    for (Thread thread : threads) {
      try {
        thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  @Override
  public void close() {
    close(Duration.ofSeconds(5));
  }
}
