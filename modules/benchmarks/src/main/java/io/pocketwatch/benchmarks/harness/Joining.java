// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Joins what several threads ask for into the batches that a peer takes at once. Whatever comes
 * while one batch is being written is the next, as Pocketwatch's publisher does it. Thread-safe.
 */
public final class Joining implements AutoCloseable {
  private static final long LOOK_EVERY_MS = 50;
  private static final long CLOSE_SECONDS = 5;

  /** Writes a batch durably. */
  public interface Writer {
    void write(List<Ask> batch) throws Exception;
  }

  private final Writer writer;
  private final Ledger ledger;
  private final int largest;
  private final BlockingQueue<Ask> waiting;
  private final ExecutorService threads;
  private final Unwritten unwritten = new Unwritten();

  private volatile boolean closed;

  /**
   * Starts to write.
   *
   * @param ledger is told what was written and what was not
   * @param writers how many batches are written at once
   * @param largest how many messages a batch has at most
   * @param waiting how many messages wait for a writer at most
   */
  public Joining(Ledger ledger, int writers, int largest, int waiting, Writer writer) {
    this.ledger = ledger;
    this.largest = largest;
    this.waiting = new ArrayBlockingQueue<>(waiting);
    this.threads = Executors.newFixedThreadPool(writers);
    this.writer = writer;
    for (int i = 0; i < writers; i++) {
      threads.execute(this::run);
    }
  }

  /** Waits while too many wait already. */
  public void add(Ask ask) throws InterruptedException {
    unwritten.more();
    waiting.put(ask);
  }

  private void run() {
    try {
      while (!closed) {
        Ask first = waiting.poll(LOOK_EVERY_MS, TimeUnit.MILLISECONDS);
        if (first != null) {
          List<Ask> batch = new ArrayList<>(largest);
          batch.add(first);
          waiting.drainTo(batch, largest - 1);
          write(batch);
          unwritten.less(batch.size());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void write(List<Ask> batch) {
    try {
      writer.write(batch);
      ledger.confirmed(batch.size());
    } catch (Exception e) {
      batch.forEach(ask -> ledger.refused(e.toString()));
    }
  }

  /** Waits until everything that was added is written. */
  public void flush() throws InterruptedException {
    unwritten.awaitNone();
  }

  /** Interrupts the writers, and waits until they have left what they write to. */
  @Override
  public void close() {
    closed = true;
    threads.shutdownNow();
    try {
      threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
