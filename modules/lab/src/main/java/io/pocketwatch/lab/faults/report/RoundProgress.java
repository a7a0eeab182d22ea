// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.report;

import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Progress;
import io.pocketwatch.screen.Screen;
import java.time.Duration;

/** How far a round is. For one thread. */
public record RoundProgress(Progress progress, int messages) implements AutoCloseable {
  private static final Duration EVERY = Duration.ofSeconds(10);

  public RoundProgress(Screen screen, int messages) {
    this(new Progress(screen, "handled", EVERY), messages);
  }

  public void show(int confirmed, int handled) {
    String scheduled = Numbers.count(confirmed);
    progress.show(
        handled,
        messages,
        scheduled + " scheduled",
        () ->
            "%s of %s scheduled, %s handled"
                .formatted(scheduled, Numbers.count(messages), Numbers.count(handled)));
  }

  @Override
  public void close() {
    progress.close();
  }
}
