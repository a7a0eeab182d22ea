// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.declare;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The declaration that a delayed exchange becomes without the plugin.
 *
 * @param type the exchange type that routes messages after their delay
 * @param arguments the other arguments of the declaration
 */
record UnderlyingExchange(String type, Map<String, Object> arguments) {
  static final String DELAYED = "x-delayed-message";
  static final String TYPE_ARGUMENT = "x-delayed-type";

  /**
   * Reads it from the arguments of a declaration with the type {@code x-delayed-message}.
   *
   * @throws DelayedExchangeException if they do not name an underlying type
   */
  static UnderlyingExchange of(String exchange, @Nullable Map<String, Object> declared)
      throws DelayedExchangeException {
    Map<String, Object> arguments = declared == null ? new HashMap<>() : new HashMap<>(declared);
    Object named = arguments.remove(TYPE_ARGUMENT);
    String type = named instanceof String text ? text.strip() : "";
    if (type.isEmpty() || DELAYED.equals(type)) {
      throw DelayedExchangeException.withoutType(exchange, named);
    }
    return new UnderlyingExchange(type, arguments);
  }
}
