// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.demo;

import io.pocketwatch.server.screen.Numbers;
import io.pocketwatch.server.screen.Terminal;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A bar that fills as timeouts arrive or are cancelled. */
final class BarProgress implements Progress {
  private static final int UPDATE_MILLIS = 200;
  private static final int MOST_COLUMNS = 100;

  private final ProgressBar bar;

  BarProgress(Terminal terminal, int orders) {
    this.bar =
        new ProgressBarBuilder()
            .setTaskName("  due")
            .setInitialMax(orders)
            .setStyle(
                terminal.shows("█▌│") ? ProgressBarStyle.UNICODE_BLOCK : ProgressBarStyle.ASCII)
            .setUpdateIntervalMillis(UPDATE_MILLIS)
            // With a width it does not ask its terminal library, which would disarm Ctrl-C.
            .setConsumer(
                new ConsoleProgressBarConsumer(
                    System.err, Math.min(terminal.columns(), MOST_COLUMNS)))
            .hideEta()
            .build();
  }

  @Override
  public void show(int placed, int arrived, int cancelled) {
    bar.stepTo(arrived + cancelled);
    bar.setExtraMessage(Numbers.count(placed - arrived - cancelled) + " held");
  }

  @Override
  public void close() {
    bar.close();
  }
}
