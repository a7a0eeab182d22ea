// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.screen;

import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Draws the progress bars of all commands. */
public final class Bar {
  private static final int UPDATE_MILLIS = 200;
  private static final int MOST_COLUMNS = 100;

  private Bar() {}

  /** A bar on stderr that fills up to {@code max}. */
  public static ProgressBar on(Terminal terminal, String task, long max) {
    return new ProgressBarBuilder()
        .setTaskName("  " + task)
        .setInitialMax(max)
        .setStyle(terminal.shows("█▌│") ? ProgressBarStyle.UNICODE_BLOCK : ProgressBarStyle.ASCII)
        .setUpdateIntervalMillis(UPDATE_MILLIS)
        // With a width it does not ask its terminal library, which would disarm Ctrl-C.
        .setConsumer(
            new ConsoleProgressBarConsumer(System.err, Math.min(terminal.columns(), MOST_COLUMNS)))
        .hideEta()
        .build();
  }
}
