// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.demo;

import io.pocketwatch.screen.Bar;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Terminal;
import me.tongfei.progressbar.ProgressBar;

/** A bar that fills as timeouts arrive or are cancelled. */
final class BarProgress implements Progress {
  private final ProgressBar bar;

  BarProgress(Terminal terminal, int orders) {
    this.bar = Bar.on(terminal, "due", orders);
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
