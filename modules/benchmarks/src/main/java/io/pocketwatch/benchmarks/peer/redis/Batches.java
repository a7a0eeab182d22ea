// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.redis;

import io.pocketwatch.benchmarks.harness.Ledger;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Writers that send together what was asked for while they waited for the answer before: one round
 * trip and one write to the disk for many. Thread-safe.
 */
final class Batches implements AutoCloseable {
  private static final int WRITERS = 2;

  /** As many messages unanswered as publishers on RabbitMQ allow themselves. */
  private static final int WAITING = 1_000;

  private static final int MOST_PER_BATCH = 500;

  private final BlockingQueue<Asked> waiting = new ArrayBlockingQueue<>(WAITING);
  private final ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
  private final Ledger ledger;

  /** One message and when it is due. */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares them
  record Asked(int number, byte[] payload, long dueMillis) {}

  /**
   * Starts to write.
   *
   * @param write stores a batch; durable when it returns
   */
  Batches(Ledger ledger, Consumer<List<Asked>> write) {
    this.ledger = ledger;
    for (int i = 0; i < WRITERS; i++) {
      writers.execute(() -> write(write));
    }
  }

  /** Waits while too many are unanswered. */
  void ask(int number, byte[] payload, long dueMillis) throws InterruptedException {
    waiting.put(new Asked(number, payload, dueMillis));
  }

  private void write(Consumer<List<Asked>> write) {
    try {
      while (true) {
        List<Asked> batch = new ArrayList<>(MOST_PER_BATCH);
        batch.add(waiting.take());
        waiting.drainTo(batch, MOST_PER_BATCH - 1);
        write(write, batch);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  private void write(Consumer<List<Asked>> write, List<Asked> batch) {
    try {
      write.accept(batch);
      ledger.confirmed(batch.size());
    } catch (JedisException e) {
      batch.forEach(asked -> ledger.refused(e.toString()));
    }
  }

  @Override
  public void close() {
    Threads.end(writers);
  }
}
