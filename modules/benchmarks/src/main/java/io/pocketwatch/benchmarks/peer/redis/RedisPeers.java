// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.redis;

import io.pocketwatch.benchmarks.harness.Subject;
import java.util.List;

/** Delays in Redis. */
public final class RedisPeers {
  private RedisPeers() {}

  public static List<Subject> all() {
    return List.of();
  }
}
