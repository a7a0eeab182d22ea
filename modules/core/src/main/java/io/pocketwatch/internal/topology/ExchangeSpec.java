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

  /** An exchange that holds messages for their {@code x-delay}; needs the plugin. */
  public static ExchangeSpec delayed(String name) {
    return new ExchangeSpec(name, "x-delayed-message", Map.of("x-delayed-type", "fanout"));
  }

  /** An exchange that routes to one of the bound queues on the same node. */
  public static ExchangeSpec localRandom(String name) {
    return new ExchangeSpec(name, "x-local-random", Map.of());
  }

  /** A copy whose unroutable messages go to the other exchange. */
  ExchangeSpec withAlternate(String exchange) {
    Map<String, Object> more = new LinkedHashMap<>(arguments);
    more.put(ALTERNATE, exchange);
    return new ExchangeSpec(name, type, more);
  }

  /**
   * A copy whose unroutable messages are returned to their publisher. Otherwise a policy could set
   * an alternate exchange, which takes them, and the broker would confirm them.
   */
  public ExchangeSpec closed(Names names) {
    return arguments.containsKey(ALTERNATE) ? this : withAlternate(names.nowhere());
  }
}
