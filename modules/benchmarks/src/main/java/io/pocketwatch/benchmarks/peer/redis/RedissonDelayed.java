// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.redis;

import io.pocketwatch.benchmarks.harness.Lane;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Payload;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.client.codec.ByteArrayCodec;
import org.redisson.config.Config;

/**
 * Redisson's delayed queue. It is deprecated in favour of the reliable queue, which only the paid
 * edition implements: this is what there is to take.
 */
@SuppressWarnings("deprecation")
final class RedissonDelayed implements Lane {
  private static final int IN_FLIGHT = 1_000;
  private static final int MOST_PER_POLL = 500;

  private final Ledger ledger;
  private final RedissonClient client;
  private final RBlockingQueue<byte[]> due;
  private final RDelayedQueue<byte[]> delayed;
  private final Semaphore free = new Semaphore(IN_FLIGHT);
  private final ExecutorService consumer = Executors.newSingleThreadExecutor();

  private RedissonDelayed(RedisServer server, Ledger ledger) {
    this.ledger = ledger;
    Config config = new Config();
    config.useSingleServer().setAddress(server.uri().toString());
    client = Redisson.create(config);
    due = client.getBlockingQueue("due", ByteArrayCodec.INSTANCE);
    delayed = client.getDelayedQueue(due);
  }

  static Lane open(RedisServer server, Ledger ledger) {
    RedissonDelayed lane = new RedissonDelayed(server, ledger);
    lane.consumer.execute(lane::consume);
    return lane;
  }

  @Override
  public void ask(int number, byte[] payload, long dueMillis) throws InterruptedException {
    free.acquire();
    long delayMillis = Math.max(0, dueMillis - System.currentTimeMillis());
    delayed
        .offerAsync(payload, delayMillis, TimeUnit.MILLISECONDS)
        .whenComplete(
            (nothing, failure) -> {
              free.release();
              if (failure == null) {
                ledger.confirmed(1);
              } else {
                ledger.refused(failure.toString());
              }
            });
  }

  private void consume() {
    try {
      while (true) {
        arrived(due.take());
        due.poll(MOST_PER_POLL).forEach(this::arrived);
      }
    } catch (InterruptedException | RedisException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  private void arrived(byte[] payload) {
    ledger.arrived(Payload.number(payload));
  }

  @Override
  public void close() {
    Threads.end(consumer);
    delayed.destroy();
    client.shutdown();
  }
}
