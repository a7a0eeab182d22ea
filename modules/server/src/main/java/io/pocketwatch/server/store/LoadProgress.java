// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import io.pocketwatch.screen.Bar;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import me.tongfei.progressbar.ProgressBar;
import org.jspecify.annotations.Nullable;

/** A bar over all routes of a run, or a line every few seconds where nobody watches. */
final class LoadProgress implements AutoCloseable {
  private static final long EVERY_NANOS = Duration.ofSeconds(5).toNanos();

  private final Screen screen;
  private final @Nullable ProgressBar bar;
  private final Map<String, Long> loaded = new HashMap<>();
  private final Map<String, Long> due = new HashMap<>();
  private long lastLine = System.nanoTime();

  private LoadProgress(Screen screen, @Nullable ProgressBar bar) {
    this.screen = screen;
    this.bar = bar;
  }

  static LoadProgress on(Screen screen) {
    return new LoadProgress(
        screen, screen.terminal().map(terminal -> Bar.on(terminal, "loaded", 0)).orElse(null));
  }

  /** Takes what a loader reports; by one thread at a time. */
  synchronized void show(String route, long loadedOfRoute, OptionalLong dueOfRoute) {
    loaded.put(route, loadedOfRoute);
    due.put(route, Math.max(loadedOfRoute, dueOfRoute.orElse(loadedOfRoute)));
    long sum = sum(loaded);
    long all = sum(due);
    if (bar != null) {
      bar.maxHint(all);
      bar.stepTo(sum);
      bar.setExtraMessage(route);
    } else if (System.nanoTime() - lastLine > EVERY_NANOS) {
      lastLine = System.nanoTime();
      screen.say("  %s of %s loaded".formatted(Numbers.count(sum), Numbers.of(all, "message")));
    }
  }

  private static long sum(Map<String, Long> numbers) {
    return numbers.values().stream().mapToLong(Long::longValue).sum();
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
