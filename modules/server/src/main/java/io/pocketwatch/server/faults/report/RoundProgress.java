// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults.report;

import io.pocketwatch.screen.Bar;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import java.time.Duration;
import me.tongfei.progressbar.ProgressBar;
import org.jspecify.annotations.Nullable;

/** A bar on a terminal, else a line now and then. For one thread. */
public final class RoundProgress implements AutoCloseable {
  private static final Duration EVERY = Duration.ofSeconds(10);

  private final Screen screen;
  private final int messages;
  private final @Nullable ProgressBar bar;
  private final long start = System.nanoTime();
  private long next = EVERY.toNanos();

  public RoundProgress(Screen screen, int messages) {
    this.screen = screen;
    this.messages = messages;
    this.bar =
        screen.terminal().map(terminal -> Bar.on(terminal, "handled", messages)).orElse(null);
  }

  public void show(int confirmed, int handled) {
    if (bar != null) {
      bar.stepTo(handled);
      bar.setExtraMessage(Numbers.count(confirmed) + " scheduled");
      return;
    }
    long elapsed = System.nanoTime() - start;
    if (elapsed >= next) {
      next = elapsed + EVERY.toNanos();
      screen.detail(
          "%5d s: %s of %s scheduled, %s handled"
              .formatted(
                  Duration.ofNanos(elapsed).toSeconds(),
                  Numbers.count(confirmed),
                  Numbers.count(messages),
                  Numbers.count(handled)));
    }
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
