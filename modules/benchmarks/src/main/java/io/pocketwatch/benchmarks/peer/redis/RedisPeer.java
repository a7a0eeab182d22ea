// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.redis;

import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.Joining;
import io.pocketwatch.benchmarks.harness.Lane;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Server;
import io.pocketwatch.benchmarks.harness.Subject;
import java.time.Duration;
import java.util.List;
import redis.clients.jedis.RedisClient;

/** A way to delay on the shared Redis, which is empty when a lane opens. */
record RedisPeer(
    String name, String durability, Duration resolution, int expectedPerSecond, Opening opening)
    implements Subject {

  /** Opens a lane on an empty database. */
  @FunctionalInterface
  interface Opening {
    Lane open(RedisServer server, Ledger ledger) throws Exception;
  }

  /**
   * Two that write together what was asked for while they waited for the last answer. So many
   * messages cost one round trip and one write to the disk. As many messages wait as publishers on
   * RabbitMQ allow themselves.
   */
  static Joining joining(Ledger ledger, Joining.Writer writer) {
    return new Joining(ledger, 2, 500, 1_000, writer);
  }

  @Override
  public List<Server> servers(Ground ground) throws Exception {
    return List.of(RedisServer.shared(ground));
  }

  @Override
  public Lane open(Ground ground, Ledger ledger) throws Exception {
    RedisServer server = RedisServer.shared(ground);
    try (RedisClient client = server.connect()) {
      client.flushAll();
    }
    return opening.open(server, ledger);
  }
}
