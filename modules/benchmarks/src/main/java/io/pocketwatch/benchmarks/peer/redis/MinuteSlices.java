// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.pocketwatch.benchmarks.harness.Ask;
import io.pocketwatch.benchmarks.harness.Joining;
import io.pocketwatch.benchmarks.harness.Lane;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Payload;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;
import redis.clients.jedis.params.ZRangeParams;

/**
 * The layout of xTimer: a sorted set per minute and bucket, so that none grows large. A worker
 * locks a slice and, as each second begins, looks for what is due in it. It is exact to the second,
 * like its model. Unlike there, what was handled is taken out rather than left to expire. So a
 * message stored in the very second it is due for is not overlooked.
 */
final class MinuteSlices implements Lane {
  /** As in xTimer's configuration. */
  private static final int BUCKETS = 20;

  private static final int WORKERS = 4;

  /** A worker that came a moment before a second would find what is due a second late. */
  private static final long AFTER_MILLIS = 2;

  private static final int MOST_PER_RANGE = 500;

  /** As in xTimer: beyond the end of the minute, and no other worker takes it meanwhile. */
  private static final SetParams LOCK = SetParams.setParams().nx().ex(70);

  private final Ledger ledger;
  private final RedisClient client;
  private final Joining asks;
  private final ScheduledExecutorService workers = Executors.newScheduledThreadPool(WORKERS);

  private MinuteSlices(RedisServer server, Ledger ledger) {
    this.ledger = ledger;
    client = server.connect();
    asks = RedisPeer.joining(ledger, this::add);
  }

  static Lane open(RedisServer server, Ledger ledger) {
    MinuteSlices lane = new MinuteSlices(server, ledger);
    long now = System.currentTimeMillis();
    long toNextSecond = 1_000 - now % 1_000 + AFTER_MILLIS;
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
      Runnable worker = new Lasting(lane.new Worker(bucket, now / 60_000));
      var unused =
          lane.workers.scheduleAtFixedRate(worker, toNextSecond, 1_000, TimeUnit.MILLISECONDS);
    }
    return lane;
  }

  @Override
  public void ask(int number, byte[] payload, long dueMillis) throws InterruptedException {
    asks.add(new Ask(number, payload, dueMillis));
  }

  private void add(List<Ask> batch) {
    try (Pipeline pipeline = client.pipelined()) {
      for (Ask ask : batch) {
        long second = (ask.dueMillis() + 999) / 1_000;
        byte[] slice = key("slice", second / 60, ask.number() % BUCKETS);
        pipeline.zadd(slice, (double) second, ask.payload());
      }
      pipeline.syncAndReturnAll();
    }
  }

  private static byte[] key(String what, long minute, int bucket) {
    return "%s:%s:%s".formatted(what, minute, bucket).getBytes(US_ASCII);
  }

  @Override
  public void close() {
    asks.close();
    Threads.finish(workers);
    client.close();
  }

  /** Goes through the slices of one bucket. */
  private final class Worker implements Runnable {
    private final int bucket;
    private long oldest;
    private long locked;

    Worker(int bucket, long minute) {
      this.bucket = bucket;
      oldest = minute;
      locked = minute - 1;
    }

    @Override
    public void run() {
      long second = System.currentTimeMillis() / 1_000;
      for (long minute = oldest; minute <= second / 60; minute++) {
        if (lock(minute)) {
          handle(key("slice", minute, bucket), second);
        }
      }
      // A minute's slice stays at work for a second more, for those who were slow to write.
      oldest = (second - 1) / 60;
    }

    private boolean lock(long minute) {
      if (minute > locked
          && client.set(key("lock", minute, bucket), new byte[] {1}, LOCK) != null) {
        locked = minute;
      }
      return minute <= locked;
    }

    private void handle(byte[] slice, long second) {
      ZRangeParams upTo =
          ZRangeParams.zrangeByScoreParams(0, (double) second).limit(0, MOST_PER_RANGE);
      List<byte[]> due = client.zrange(slice, upTo);
      while (!due.isEmpty()) {
        due.forEach(member -> ledger.arrived(Payload.number(member)));
        client.zrem(slice, due.toArray(byte[][]::new));
        due = client.zrange(slice, upTo);
      }
    }
  }
}
