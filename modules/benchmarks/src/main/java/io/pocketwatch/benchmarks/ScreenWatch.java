// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks;

import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Plan;
import io.pocketwatch.benchmarks.harness.Watch;
import io.pocketwatch.screen.Bar;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import java.time.Duration;
import java.util.Locale;
import me.tongfei.progressbar.ProgressBar;
import org.jspecify.annotations.Nullable;

/** A bar per trial where somebody watches, a line per trial where nobody does. */
final class ScreenWatch implements Watch {
  /** Where there is no terminal for a bar. */
  private static final Duration TELL_EVERY = Duration.ofSeconds(30);

  private final Screen screen;

  ScreenWatch(Screen screen) {
    this.screen = screen;
  }

  @Override
  public void say(String news) {
    screen.detail(news);
  }

  @Override
  public Line line(String subject, Plan plan, Ledger ledger) {
    long began = System.nanoTime();
    // Two stages if arrivals are waited for: taken, and arrived.
    long goal = plan.awaited() ? 2L * plan.messages() : plan.messages();
    @Nullable ProgressBar bar =
        screen.terminal().map(terminal -> Bar.on(terminal, subject, goal)).orElse(null);
    return new Line() {
      private long told = began;

      @Override
      public void show(String what, long now, long goal) {
        if (bar != null) {
          bar.stepTo(ledger.confirmed() + (plan.awaited() ? ledger.arrived() : 0));
        } else if (System.nanoTime() - told >= TELL_EVERY.toNanos()) {
          told = System.nanoTime();
          tell("…");
        }
      }

      @Override
      public void close() {
        if (bar != null) {
          bar.close();
        } else {
          tell("");
        }
      }

      private void tell(String more) {
        double seconds = (System.nanoTime() - began) / 1e9;
        screen.detail(
            String.format(
                Locale.ROOT,
                "%s: %s of %s taken%s, %.1f s%s",
                subject,
                Numbers.count(ledger.confirmed()),
                Numbers.of(plan.messages(), "message"),
                plan.awaited() ? ", " + Numbers.count(ledger.arrived()) + " arrived" : "",
                seconds,
                more));
      }
    };
  }
}
