// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the messages between a publish call and the end of its future.
 *
 * <p>A place is free again only when the future's continuations have run, so slow continuations
 * slow publishing down instead of filling memory. A continuation that publishes does not wait for a
 * place: it would wait for itself.
 */
public final class InFlightLimit {
  private static final Logger LOG = LoggerFactory.getLogger(InFlightLimit.class);
  private static final int MOST_TOGETHER = 64;

  /** The most ends in one turn of the callback thread, which has other work. */
  private static final int TURN = 256;

  private final int limit;
  private final CallbackThread callbacks;
  private final Scheduler scheduler;
  private final Permits places;
  private final ByteBudget bytes;
  private final Queue<End> ends = new ConcurrentLinkedQueue<>();

  /** Whether a turn of ends is running, or queued. */
  private final AtomicBoolean running = new AtomicBoolean();

  /** How many places are given back at a time: each time wakes a waiting thread. */
  private final int together;

  public InFlightLimit(int limit, CallbackThread callbacks) {
    this(limit, callbacks, Scheduler.SYSTEM);
  }

  public InFlightLimit(int limit, CallbackThread callbacks, Scheduler scheduler) {
    this.limit = limit;
    this.callbacks = callbacks;
    this.scheduler = scheduler;
    this.together = Math.max(1, Math.min(MOST_TOGETHER, limit / 8));
    this.places = new Permits(limit, scheduler);
    this.bytes = new ByteBudget(scheduler);
  }

  /**
   * Waits for a free place, and for room for the body.
   *
   * @return whether there was room in time; false if interrupted, and the interrupt flag stays set
   */
  public boolean enter(int bodyLength, Duration patience) {
    if (callbacks.isCurrentThread()) {
      places.forceTake(1);
      bytes.forceTake(bodyLength);
      return true;
    }
    long deadline = scheduler.nanoTime() + patience.toNanos();
    if (!places.take(1, patience)) {
      return false;
    }
    Duration left = Duration.ofNanos(Math.max(0, deadline - scheduler.nanoTime()));
    boolean in = bytes.take(bodyLength, left);
    if (!in) {
      places.release(1);
    }
    return in;
  }

  /** Runs the end of a message on the callback thread, then frees its place. */
  public void leave(int bodyLength, Runnable end) {
    ends.add(new End(bodyLength, end));
    if (running.compareAndSet(false, true)) {
      runLater();
    }
  }

  private void runLater() {
    try {
      callbacks.run(this::runEnds);
    } catch (RuntimeException | Error e) { // no memory, no thread: the next end retries
      running.set(false);
      throw e;
    }
  }

  private void runEnds() {
    int left = TURN;
    while (left > 0 && !ends.isEmpty()) {
      left -= runSome();
    }
    if (left > 0) {
      running.set(false);
      if (ends.isEmpty() || !running.compareAndSet(false, true)) {
        return;
      }
    }
    runLater();
  }

  private int runSome() {
    int ended = 0;
    int units = 0;
    try {
      for (End end; ended < together && (end = ends.poll()) != null; ) {
        ended++;
        units += bytes.units(end.bodyLength());
        end.run();
      }
    } finally {
      bytes.giveUnits(units);
      places.release(ended);
    }
    return ended;
  }

  /** Waits until every place is free. */
  public boolean awaitEmpty(Duration patience) {
    if (callbacks.isCurrentThread()) {
      return false; // the caller's own place is taken until it returns
    }
    boolean empty = places.take(limit, patience);
    if (empty) {
      places.release(limit);
    }
    return empty;
  }

  /** The end of a message, and the size of the body whose room it frees. */
  private record End(int bodyLength, Runnable how) {
    /** Runs it; an exception must not keep the next message from its end. */
    void run() {
      try {
        how.run();
      } catch (RuntimeException | Error e) {
        LOG.error("Ending a message failed", e);
      }
    }
  }
}
