// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import java.util.Collection;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * How many rows a route may claim in its turn. Turns go round, so shares, not queues, decide who
 * gets how much: the heaviest route claims whole batches, the others in proportion, and of a rate
 * each gets at most its part of a second.
 */
record Shares(int batch, @Nullable Integer rate, int heaviest, int sum) {
  static Shares of(
      int batch, @Nullable Integer rate, Collection<String> routes, ToIntFunction<String> weight) {
    return new Shares(
        batch,
        rate,
        routes.stream().mapToInt(weight).max().orElse(1),
        Math.max(1, routes.stream().mapToInt(weight).sum()));
  }

  /** At least one row, at most a batch. */
  int rows(int weight) {
    long ofBatch = (long) batch * weight / heaviest;
    long ofRate = rate == null ? ofBatch : (long) rate * weight / sum;
    return (int) Math.max(1, Math.min(ofBatch, ofRate));
  }
}
