// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts what a run does. Thread-safe. */
final class LoadCounters {
  private final long begun = System.nanoTime();
  private final Map<String, Long> loaded = new HashMap<>();
  private long parked;
  private long waiting;
  private long givenBack;
  private long outrun;
  private @Nullable String error;
  private @Nullable String refusal;

  synchronized void loaded(String route, int count) {
    loaded.merge(route, (long) count, Long::sum);
  }

  synchronized void parked() {
    parked++;
  }

  synchronized void waiting() {
    waiting++;
  }

  /** The first reason is the one that is told. */
  synchronized void givenBack(int count, String reason) {
    givenBack += count;
    if (refusal == null) {
      refusal = reason;
    }
  }

  synchronized void outrun(int count) {
    outrun += count;
  }

  /** The first error is the one that tells why. */
  synchronized void error(String text) {
    if (error == null) {
      error = text;
    }
  }

  synchronized boolean failed() {
    return error != null;
  }

  synchronized LoadReport report(Instant horizon) {
    return new LoadReport(
        horizon,
        loaded,
        parked,
        waiting,
        givenBack,
        outrun,
        Duration.ofNanos(System.nanoTime() - begun),
        error,
        refusal);
  }
}
