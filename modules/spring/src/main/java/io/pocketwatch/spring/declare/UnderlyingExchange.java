// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.declare;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.AbstractExchange;
import org.springframework.amqp.core.CustomExchange;
import org.springframework.amqp.core.DirectExchange;
import org.springframework.amqp.core.Exchange;
import org.springframework.amqp.core.ExchangeTypes;
import org.springframework.amqp.core.FanoutExchange;
import org.springframework.amqp.core.HeadersExchange;
import org.springframework.amqp.core.TopicExchange;

/**
 * What an exchange of the plugin's type is without the plugin.
 *
 * @param type the exchange type that routes what the plugin lets go
 * @param arguments the other arguments of the declaration
 */
record UnderlyingExchange(String type, Map<String, Object> arguments) {
  static final String DELAYED = "x-delayed-message";
  static final String TYPE_ARGUMENT = "x-delayed-type";

  /** Whether declaring this needs the plugin. */
  static boolean needsPlugin(Exchange exchange) {
    return exchange.isDelayed() || DELAYED.equals(exchange.getType());
  }

  /**
   * Reads it from the arguments of a declaration with the type {@code x-delayed-message}.
   *
   * @throws DelayedExchangeException if they do not name an underlying type
   */
  static UnderlyingExchange of(String exchange, @Nullable Map<String, Object> declared)
      throws DelayedExchangeException {
    Map<String, Object> arguments = declared == null ? new HashMap<>() : new HashMap<>(declared);
    Object named = arguments.remove(TYPE_ARGUMENT);
    String type = named == null ? "" : named.toString().strip();
    if (type.isEmpty() || DELAYED.equals(type)) {
      throw DelayedExchangeException.withoutType(exchange, named);
    }
    return new UnderlyingExchange(type, arguments);
  }

  /**
   * The same exchange for a broker without the plugin; the given one stays as it is, since the next
   * broker may have it.
   */
  static Exchange of(Exchange exchange) throws DelayedExchangeException {
    UnderlyingExchange underlying =
        exchange.isDelayed()
            ? new UnderlyingExchange(exchange.getType(), copy(exchange.getArguments()))
            : of(exchange.getName(), exchange.getArguments());
    AbstractExchange copy = underlying.named(exchange);
    copy.setInternal(exchange.isInternal());
    copy.setShouldDeclare(exchange.shouldDeclare());
    copy.setIgnoreDeclarationExceptions(exchange.isIgnoreDeclarationExceptions());
    copy.setAdminsThatShouldDeclare(exchange.getDeclaringAdmins().toArray());
    return copy;
  }

  private static Map<String, Object> copy(@Nullable Map<String, Object> arguments) {
    return arguments == null ? Map.of() : new HashMap<>(arguments);
  }

  /** Of Spring's class for the type: further customizers may look at it. */
  private AbstractExchange named(Exchange like) {
    String name = like.getName();
    boolean durable = like.isDurable();
    boolean autoDelete = like.isAutoDelete();
    Map<String, @Nullable Object> given = new HashMap<>(arguments);
    return switch (type) {
      case ExchangeTypes.DIRECT -> new DirectExchange(name, durable, autoDelete, given);
      case ExchangeTypes.TOPIC -> new TopicExchange(name, durable, autoDelete, given);
      case ExchangeTypes.FANOUT -> new FanoutExchange(name, durable, autoDelete, given);
      case ExchangeTypes.HEADERS -> new HeadersExchange(name, durable, autoDelete, given);
      default -> new CustomExchange(name, type, durable, autoDelete, given);
    };
  }
}
