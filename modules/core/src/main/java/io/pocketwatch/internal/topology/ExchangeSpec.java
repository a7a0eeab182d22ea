// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import java.util.LinkedHashMap;
import java.util.Map;

/** An exchange of ours; durable. */
public record ExchangeSpec(String name, String type, Map<String, Object> arguments) {
  private static final String ALTERNATE = "alternate-exchange";

  public ExchangeSpec {
    arguments = Map.copyOf(arguments);
  }

  static ExchangeSpec direct(String name) {
    return new ExchangeSpec(name, "direct", Map.of());
  }

  static ExchangeSpec fanout(String name) {
    return new ExchangeSpec(name, "fanout", Map.of());
  }

  static ExchangeSpec headers(String name) {
    return new ExchangeSpec(name, "headers", Map.of());
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
    Map<String, Object> more = new LinkedHashMap<>(arguments);
    more.put(ALTERNATE, exchange);
    return new ExchangeSpec(name, type, more);
  }

  /**
   * What matches nothing here goes nowhere, and its sender hears of it. Otherwise a policy could
   * name an alternate exchange, which takes it, and the broker would confirm it.
   */
  public ExchangeSpec closed(Names names) {
    return arguments.containsKey(ALTERNATE) ? this : withAlternate(names.nowhere());
  }
}
