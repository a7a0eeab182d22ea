// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.recovery;

import io.pocketwatch.it.recovery.Effects.Effect;
import java.util.Collection;

/** How late effects were, in milliseconds on the store's clock. */
record Lateness(int count, long p50, long p99, long worst) {
  static Lateness of(Collection<Effect> effects) {
    long[] sorted = effects.stream().mapToLong(Effect::latenessMillis).sorted().toArray();
    return sorted.length == 0
        ? new Lateness(0, 0, 0, 0)
        : new Lateness(
            sorted.length,
            sorted[sorted.length / 2],
            sorted[(int) (sorted.length * 0.99)],
            sorted[sorted.length - 1]);
  }
}
