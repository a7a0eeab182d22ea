// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.sql;

import io.pocketwatch.benchmarks.harness.Ledger;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Joins what several threads ask for into the batches that a peer takes at once: whatever comes
 * while one batch is being written is the next, as Pocketwatch's publisher does it.
 */
final class Joining implements AutoCloseable {
  /** What db-scheduler's own client takes as a batch. */
  static final int LARGEST = 100;

  private static final int WAITING = 2_000;
  private static final int WRITERS = 4;
  private static final long LOOK_EVERY_MS = 50;

  /** Writes a batch durably. */
  interface Writer {
    void write(List<Ask> batch) throws Exception;
  }

  private final Writer writer;
  private final Ledger ledger;
  private final BlockingQueue<Ask> waiting = new ArrayBlockingQueue<>(WAITING);
  private final ExecutorService threads = Executors.newFixedThreadPool(WRITERS);

  private final Unwritten unwritten = new Unwritten();

  private volatile boolean closed;

  Joining(Ledger ledger, Writer writer) {
    this.ledger = ledger;
    this.writer = writer;
    for (int i = 0; i < WRITERS; i++) {
      threads.execute(this::run);
    }
  }

  void add(Ask ask) throws InterruptedException {
    unwritten.more();
    waiting.put(ask);
  }

  private void run() {
    try {
      while (!closed) {
        Ask first = waiting.poll(LOOK_EVERY_MS, TimeUnit.MILLISECONDS);
        if (first != null) {
          List<Ask> batch = new ArrayList<>(LARGEST);
          batch.add(first);
          waiting.drainTo(batch, LARGEST - 1);
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
  void flush() throws InterruptedException {
    unwritten.awaitNone();
  }

  @Override
  public void close() {
    closed = true;
    threads.shutdownNow();
  }
}
