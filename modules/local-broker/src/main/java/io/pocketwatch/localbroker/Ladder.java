// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Tries one source after the other, and takes the first that can supply what is wanted. */
final class Ladder<R extends Rung> {

  /** The request to a rung. */
  @FunctionalInterface
  interface Step<R, T> {
    T on(R rung) throws RungRefusedException;
  }

  private final List<R> rungs;

  Ladder(List<R> rungs) {
    this.rungs = List.copyOf(rungs);
  }

  <T> T climb(LocalBrokerOptions options, Consumer<String> listener, Step<R, T> step) {
    List<String> tried = new ArrayList<>();
    boolean pluginMissing = false;
    for (R rung : rungs) {
      String refusal;
      if (!options.sources().contains(rung.source())) {
        refusal = "not allowed by the caller";
      } else if (options.settableClock() && rung.source() != BrokerSource.PACKAGES) {
        refusal = "the clock of its nodes cannot be set";
      } else {
        try {
          return step.on(rung);
        } catch (RungRefusedException e) {
          listener.accept(e.why());
          refusal = e.why() + "\n       " + e.remedy();
          pluginMissing |= e.isPluginMissing();
        }
      }
      tried.add("  %s. %s: %s".formatted(tried.size() + 1, rung.source().label(), refusal));
    }
    throw new BrokerUnavailableException(
        "No broker to be had (wanted: " + wish(options) + ").\n" + String.join("\n", tried),
        pluginMissing);
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
      wishes.add("with " + String.join(", ", options.plugins()));
    }
    return String.join(", ", wishes);
  }
}
