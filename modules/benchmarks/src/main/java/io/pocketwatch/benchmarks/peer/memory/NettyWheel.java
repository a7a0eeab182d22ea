// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.memory;

import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.Lane;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Payload;
import io.pocketwatch.benchmarks.harness.Server;
import io.pocketwatch.benchmarks.harness.Subject;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Netty's hashed wheel: what precision this JVM can reach when nothing is kept and nothing sent.
 */
final class NettyWheel implements Subject {
  private static final long TICK_MILLIS = 1;

  /** A turn takes about a minute: few timers are looked at before their time. */
  private static final int TICKS = 1 << 16;

  @Override
  public String name() {
    return "netty-wheel";
  }

  @Override
  public String durability() {
    return "none: a crash loses everything";
  }

  @Override
  public int expectedPerSecond() {
    return 50_000;
  }

  @Override
  public List<Server> servers(Ground ground) {
    return List.of();
  }

  @Override
  public Lane open(Ground ground, Ledger ledger) {
    HashedWheelTimer timer =
        new HashedWheelTimer(
            new DefaultThreadFactory("netty-wheel", true),
            TICK_MILLIS,
            TimeUnit.MILLISECONDS,
            TICKS);
    timer.start();
    return new Lane() {
      @Override
      public void ask(int number, byte[] payload, long dueMillis) {
        timer.newTimeout(
            timeout -> ledger.arrived(Payload.number(payload)),
            Math.max(0, dueMillis - System.currentTimeMillis()),
            TimeUnit.MILLISECONDS);
        ledger.confirmed(1);
      }

      @Override
      public void close() {
        timer.stop();
      }
    };
  }
}
