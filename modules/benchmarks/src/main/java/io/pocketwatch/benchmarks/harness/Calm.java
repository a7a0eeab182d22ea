// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

import java.time.Duration;
import java.util.List;

/** Waits until servers have done with what the trial before left them to do. */
final class Calm {
  private static final Duration LOOK = Duration.ofMillis(500);
  private static final int LOOKS = 40;

  /** A share of one core that a server uses when nobody asks anything of it. */
  private static final double IDLE_SHARE = 0.15;

  private Calm() {}

  /** Returns when they use little processor time, after 20 s at the latest. */
  static void await(List<Server> servers) throws InterruptedException {
    Usage before = Usage.now(servers);
    for (int look = 0; look < LOOKS && !servers.isEmpty(); look++) {
      Thread.sleep(LOOK.toMillis());
      Usage now = Usage.now(servers);
      if (now.minus(before).servers().toNanos() < LOOK.toNanos() * IDLE_SHARE) {
        return;
      }
      before = now;
    }
  }
}
