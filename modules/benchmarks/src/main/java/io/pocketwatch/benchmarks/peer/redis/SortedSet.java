// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.pocketwatch.benchmarks.harness.Ask;
import io.pocketwatch.benchmarks.harness.Joining;
import io.pocketwatch.benchmarks.harness.Lane;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Payload;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.RedisClient;

/**
 * The sorted set everybody starts with, done carefully: scored by due instant and polled often. A
 * script moves due messages to a list of those at work, so that a crash of the poller loses none.
 */
final class SortedSet implements Lane {
  private static final int POLL_MILLIS = 10;
  private static final int MOST_PER_CLAIM = 500;
  private static final byte[] HELD = "held".getBytes(US_ASCII);
  private static final byte[] AT_WORK = "at-work".getBytes(US_ASCII);

  /** Takes the handled ones of the claim before off the list, then claims: one trip for both. */
  private static final String CLAIM =
      """
      if tonumber(ARGV[3]) > 0 then
        redis.call('LPOP', KEYS[2], ARGV[3])
      end
      local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
      if #due > 0 then
        redis.call('ZREM', KEYS[1], unpack(due))
        redis.call('RPUSH', KEYS[2], unpack(due))
      end
      return due
      """;

  private final Ledger ledger;
  private final RedisClient client;
  private final byte[] claim;
  private final Joining asks;
  private final ScheduledExecutorService poller = Executors.newSingleThreadScheduledExecutor();
  private int handled;

  private SortedSet(RedisServer server, Ledger ledger) {
    this.ledger = ledger;
    client = server.connect();
    claim = client.scriptLoad(CLAIM).getBytes(US_ASCII);
    asks = RedisPeer.joining(ledger, this::add);
  }

  static Lane open(RedisServer server, Ledger ledger) {
    SortedSet lane = new SortedSet(server, ledger);
    var unused =
        lane.poller.scheduleWithFixedDelay(
            new Lasting(lane::poll), 0, POLL_MILLIS, TimeUnit.MILLISECONDS);
    return lane;
  }

  @Override
  public void ask(int number, byte[] payload, long dueMillis) throws InterruptedException {
    asks.add(new Ask(number, payload, dueMillis));
  }

  @SuppressWarnings("ArrayAsKeyOfSetOrMap") // the client asks for it, and goes through it only
  private void add(List<Ask> batch) {
    Map<byte[], Double> members = new HashMap<>();
    batch.forEach(ask -> members.put(ask.payload(), (double) ask.dueMillis()));
    client.zadd(HELD, members);
  }

  private void poll() {
    do {
      List<?> due =
          (List<?>)
              client.evalsha(
                  claim,
                  List.of(HELD, AT_WORK),
                  List.of(
                      ascii(System.currentTimeMillis()), ascii(MOST_PER_CLAIM), ascii(handled)));
      due.forEach(member -> ledger.arrived(Payload.number((byte[]) member)));
      handled = due.size();
    } while (handled == MOST_PER_CLAIM);
  }

  private static byte[] ascii(long number) {
    return Long.toString(number).getBytes(US_ASCII);
  }

  @Override
  public void close() {
    asks.close();
    Threads.finish(poller);
    client.close();
  }
}
