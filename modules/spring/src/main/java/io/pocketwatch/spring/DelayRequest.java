// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.Headers;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.plan.DeliveryTime;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;

/**
 * Reads from a message's headers whether and how it asks to be delayed.
 *
 * <p>The headers below carry the settings of {@link Delayed} to the template. They are never sent,
 * since headers with their prefix are removed from every outgoing message. They are text, so that
 * header mappers and serialization leave them as they are.
 */
final class DelayRequest {
  /** An ISO-8601 duration. */
  static final String DELAY = Headers.PREFIX + "ask-delay";

  /** An ISO-8601 instant. */
  static final String DELIVER_AT = Headers.PREFIX + "ask-deliver-at";

  static final String ID = Headers.PREFIX + "idempotency-key";
  static final String BUSINESS_KEY = Headers.PREFIX + "business-key";
  static final String ROUTE = Headers.PREFIX + "ask-route";
  static final String STRATEGY = Headers.PREFIX + "ask-strategy";

  private DelayRequest() {}

  /**
   * The message as Pocketwatch is to send it, still without properties; or null if it asks for no
   * delay and its route has none.
   *
   * @throws DelayedSendException if what it asks for cannot be understood
   */
  static @Nullable DelayedMessage of(
      String exchange, String routingKey, Message message, DelayRoutes routes) {
    DelayedMessage asked =
        of(exchange, routingKey, message.getMessageProperties().getHeaders(), routes);
    return asked == null ? null : asked.body(message.getBody()); // copied only where it is needed
  }

  /**
   * Whether the message itself asks for a delay, whatever the default of its route.
   *
   * @throws DelayedSendException if what it asks for cannot be understood
   */
  static boolean forDelay(Message message) {
    Map<String, Object> headers = message.getMessageProperties().getHeaders();
    Object xDelay = headers.get(MessageProperties.X_DELAY);
    return headers.containsKey(DELIVER_AT)
        || headers.containsKey(DELAY)
        || headers.containsKey(DeliveryTime.HEADER)
        || xDelay != null && millis(xDelay) > 0;
  }

  private static @Nullable DelayedMessage of(
      String exchange, String routingKey, Map<String, Object> headers, DelayRoutes routes) {
    DelayedMessage asked = DelayedMessage.to(exchange, routingKey);
    asked = with(asked, headers.get(ROUTE), DelayedMessage::route);
    asked = with(asked, headers.get(ID), DelayedMessage::id);
    asked = with(asked, headers.get(BUSINESS_KEY), DelayedMessage::businessKey);
    asked = with(asked, headers.get(STRATEGY), DelayRequest::strategy);
    boolean hasTime = headers.containsKey(DeliveryTime.HEADER);
    if (hasTime) {
      asked = asked.header(DeliveryTime.HEADER, headers.get(DeliveryTime.HEADER));
    }
    Object xDelay = headers.get(MessageProperties.X_DELAY);
    if (headers.containsKey(DELIVER_AT) || headers.containsKey(DELAY)) {
      return timed(asked, headers);
    }
    long millis = xDelay == null ? 0 : millis(xDelay);
    if (millis > 0) {
      return asked.delay(Duration.ofMillis(millis));
    }
    return hasTime || xDelay == null && hasDefaultDelay(asked, routes) ? asked : null;
  }

  private static DelayedMessage timed(DelayedMessage message, Map<String, Object> headers) {
    Object deliverAt = headers.get(DELIVER_AT);
    try {
      return deliverAt != null
          ? message.deliverAt(Instant.parse(deliverAt.toString()))
          : message.delay(Duration.parse(String.valueOf(headers.get(DELAY))));
    } catch (DateTimeException e) {
      throw new DelayedSendException(
          "a header '%s*' does not hold a time: %s".formatted(Headers.PREFIX, ErrorWords.of(e)), e);
    }
  }

  /** Accepts any number or text of digits, as the plugin does; rounds up, so as not to be early. */
  private static long millis(Object xDelay) {
    if (xDelay instanceof Number || xDelay.toString().matches("-?\\d{1,18}")) {
      try {
        return new BigDecimal(xDelay.toString()).setScale(0, RoundingMode.CEILING).longValueExact();
      } catch (ArithmeticException | NumberFormatException e) {
        // reported below
      }
    }
    throw new DelayedSendException(
        "the x-delay header is '%s' (%s); expected: a number of milliseconds"
            .formatted(xDelay, xDelay.getClass().getSimpleName()));
  }

  /** True also for a named route that does not exist: planning reports it. */
  private static boolean hasDefaultDelay(DelayedMessage message, DelayRoutes routes) {
    String name = message.route();
    DelayRoute route =
        name == null ? routes.match(message.exchange(), message.routingKey()) : routes.named(name);
    return route == null || route.defaultDelay() != null;
  }

  private static DelayedMessage strategy(DelayedMessage message, String name) {
    try {
      return message.strategy(DelayStrategy.valueOf(name));
    } catch (IllegalArgumentException e) {
      throw new DelayedSendException("there is no strategy '" + name + "'", e);
    }
  }

  private static DelayedMessage with(
      DelayedMessage message,
      @Nullable Object header,
      BiFunction<DelayedMessage, String, DelayedMessage> step) {
    return header == null ? message : step.apply(message, header.toString());
  }
}
