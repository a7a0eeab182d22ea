// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.demo;

import io.pocketwatch.screen.Screen;

/** Shows how far a demo is. Called often, and shows what is worth showing. */
interface Progress extends AutoCloseable {

  /**
   * @param placed orders placed so far
   * @param arrived of these, timeouts that have arrived
   * @param cancelled of these, timeouts that were cancelled
   */
  void show(int placed, int arrived, int cancelled);

  @Override
  void close();

  /** A bar on a terminal, else a line now and then. */
  static Progress on(Screen screen, int orders) {
    return screen
        .terminal()
        .<Progress>map(terminal -> new BarProgress(terminal, orders))
        .orElseGet(() -> new LineProgress(screen, orders));
  }
}
