// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.screen;

import java.time.Duration;
import java.util.function.Supplier;
import me.tongfei.progressbar.ProgressBar;
import org.jspecify.annotations.Nullable;

/** A progress bar on a terminal, elsewhere a line now and then. For one thread at a time. */
public final class Progress implements AutoCloseable {
  private final Screen screen;
  private final long every;
  private final @Nullable ProgressBar bar;
  private final long start = System.nanoTime();
  private long next;

  /**
   * Begins at nothing.
   *
   * @param task stands before the bar
   * @param every how often a line is shown where there is no bar
   */
  public Progress(Screen screen, String task, Duration every) {
    this.screen = screen;
    this.every = every.toNanos();
    this.next = this.every;
    this.bar = screen.terminal().map(terminal -> Bar.on(terminal, task, 0)).orElse(null);
  }

  /**
   * Shows the progress if it is time to; may be called often.
   *
   * @param done how much of {@code all} is done, which is -1 if nobody knows it
   * @param beside stands behind the bar
   * @param line where there is no bar
   */
  public void show(long done, long all, String beside, Supplier<String> line) {
    if (bar != null) {
      bar.maxHint(all);
      bar.stepTo(done);
      bar.setExtraMessage(beside);
      return;
    }
    long elapsed = System.nanoTime() - start;
    if (elapsed >= next) {
      next = elapsed + every;
      screen.detail("%3s s: %s".formatted(Duration.ofNanos(elapsed).toSeconds(), line.get()));
    }
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
