// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import java.util.Map;

/** An exchange of ours; durable. */
public record ExchangeSpec(String name, String type, Map<String, Object> arguments) {
  static ExchangeSpec direct(String name) {
    return new ExchangeSpec(name, "direct", Map.of());
  }

  static ExchangeSpec fanout(String name) {
    return new ExchangeSpec(name, "fanout", Map.of());
  }

  /** What is published here with an {@code x-delay} comes out after it; needs the plugin. */
  public static ExchangeSpec delayed(String name) {
    return new ExchangeSpec(name, "x-delayed-message", Map.of("x-delayed-type", "fanout"));
  }

  /** Passes on to one of the queues that are on the same node. */
  public static ExchangeSpec localRandom(String name) {
    return new ExchangeSpec(name, "x-local-random", Map.of());
  }

  /** What matches nothing here goes to the other exchange. */
  ExchangeSpec withAlternate(String exchange) {
    return new ExchangeSpec(name, type, Map.of("alternate-exchange", exchange));
  }
}
