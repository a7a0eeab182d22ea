// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Tries one source after the other; the first that can, answers. */
final class Ladder {

  /** What is wanted of a rung. */
  @FunctionalInterface
  interface Step<T> {
    T on(Rung rung) throws RungRefusedException;
  }

  private final List<Rung> rungs;

  Ladder(List<Rung> rungs) {
    this.rungs = List.copyOf(rungs);
  }

  <T> T climb(LocalBrokerOptions options, LadderListener listener, Step<T> step) {
    List<String> tried = new ArrayList<>();
    int plain = 0;
    int lacking = 0;
    for (Rung rung : rungs) {
      @Nullable String refusal = null;
      if (!options.sources().contains(rung.source())) {
        refusal = "not allowed by the caller";
      } else if (options.settableClock() && rung.source() != BrokerSource.PACKAGES) {
        refusal = "the clock of its nodes cannot be set";
      } else {
        try {
          return step.on(rung);
        } catch (RungRefusedException e) {
          listener.report(e.why());
          refusal = e.why() + "\n       " + e.remedy();
          lacking += e.isPluginMissing() ? 1 : 0;
        }
      }
      tried.add("  %d. %s: %s".formatted(++plain, rung.source().label(), refusal));
    }
    throw new BrokerUnavailableException(
        "No broker to be had (wanted: " + wish(options) + ").\n" + String.join("\n", tried),
        lacking > 0);
  }

  static String wish(LocalBrokerOptions options) {
    List<String> wishes = new ArrayList<>();
    wishes.add(options.version() == null ? "any RabbitMQ" : "RabbitMQ " + options.version());
    if (options.controllable()) {
      wishes.add("one that may be stopped and killed");
    }
    if (options.settableClock()) {
      wishes.add("one whose clock can be set");
    }
    if (!options.plugins().isEmpty()) {
      wishes.add("with " + String.join(", ", options.plugins()).toLowerCase(Locale.ROOT));
    }
    return String.join(", ", wishes);
  }
}
