// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.report;

import io.pocketwatch.lab.faults.level.Sample;
import io.pocketwatch.screen.Screen;
import java.time.Duration;
import java.util.stream.Collectors;

/** Shows a sample now and then. For one thread. */
public final class SampleLines {
  private static final Duration EVERY = Duration.ofSeconds(30);

  private final Screen screen;
  private Duration next = Duration.ZERO;

  public SampleLines(Screen screen) {
    this.screen = screen;
  }

  public void show(Sample sample) {
    if (sample.at().compareTo(next) >= 0) {
      next = sample.at().plus(EVERY);
      screen.detail(
          sample.brief().entrySet().stream()
              .map(each -> each.getKey() + " " + each.getValue())
              .collect(Collectors.joining(", ", "%5s s: ".formatted(sample.at().toSeconds()), "")));
    }
  }
}
