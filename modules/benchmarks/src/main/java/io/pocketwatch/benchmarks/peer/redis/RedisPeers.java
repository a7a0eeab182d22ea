// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.redis;

import io.pocketwatch.benchmarks.harness.Subject;
import java.time.Duration;
import java.util.List;

/** Delays in Redis. */
public final class RedisPeers {
  private static final String SYNCHRONOUS = "synchronous append-only file, one copy";

  private RedisPeers() {}

  public static List<Subject> all() {
    return List.of(
        new RedisPeer("redis-zset", SYNCHRONOUS, Duration.ofMillis(1), 20_000, SortedSet::open),
        new RedisPeer(
            "redis-slices", SYNCHRONOUS, Duration.ofSeconds(1), 8_000, MinuteSlices::open),
        new RedisPeer(
            "redisson",
            SYNCHRONOUS + "; a consumer that crashes loses what it had taken",
            Duration.ofMillis(1),
            2_000,
            RedissonDelayed::open));
  }
}
