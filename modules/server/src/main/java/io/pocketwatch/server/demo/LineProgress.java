// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.demo;

import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import java.time.Duration;

/** A line every few seconds, for a log. */
final class LineProgress implements Progress {
  private static final Duration EVERY = Duration.ofSeconds(5);

  private final Screen screen;
  private final int orders;
  private final long start = System.nanoTime();
  private long next = EVERY.toNanos();

  LineProgress(Screen screen, int orders) {
    this.screen = screen;
    this.orders = orders;
  }

  @Override
  public void show(int placed, int arrived, int cancelled) {
    long elapsed = System.nanoTime() - start;
    if (elapsed < next) {
      return;
    }
    next = elapsed + EVERY.toNanos();
    screen.detail(
        "%3d s: %s of %s orders placed, %s timeouts arrived, %s held"
            .formatted(
                Duration.ofNanos(elapsed).toSeconds(),
                Numbers.count(placed),
                Numbers.count(orders),
                Numbers.count(arrived),
                Numbers.count(placed - arrived - cancelled)));
  }

  @Override
  public void close() {}
}
