// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Progress;
import io.pocketwatch.screen.Screen;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/** How far a load is, over all its routes. */
final class LoadProgress implements AutoCloseable {
  private static final Duration EVERY = Duration.ofSeconds(5);

  private final Progress progress;
  private final Map<String, Long> loaded = new HashMap<>();
  private final Map<String, Long> due = new HashMap<>();

  LoadProgress(Screen screen) {
    progress = new Progress(screen, "loaded", EVERY);
  }

  /** Takes what a loader reports; by one thread at a time. */
  synchronized void show(String route, long loadedOfRoute, OptionalLong dueOfRoute) {
    loaded.put(route, loadedOfRoute);
    due.put(route, Math.max(loadedOfRoute, dueOfRoute.orElse(loadedOfRoute)));
    long sum = sum(loaded);
    long all = sum(due);
    progress.show(
        sum,
        all,
        route,
        () -> "%s of %s loaded".formatted(Numbers.count(sum), Numbers.of(all, "message")));
  }

  private static long sum(Map<String, Long> numbers) {
    return numbers.values().stream().mapToLong(Long::longValue).sum();
  }

  @Override
  public void close() {
    progress.close();
  }
}
