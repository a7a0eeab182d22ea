// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import io.pocketwatch.DelayStrategy;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessagePostProcessor;

/**
 * Gives a message its delay as it is sent, and optionally an id, business key, route or strategy:
 *
 * <pre>{@code
 * template.convertAndSend("orders", "order.timeout", order, delay(ofMinutes(30)));
 * template.convertAndSend("orders", "order.timeout", order, deliverAt(closing).businessKey("17"));
 * }</pre>
 *
 * Its upper limit is that of the configured strategies or, with a store, the year 9999. It takes
 * precedence over {@code setDelayLong} and {@code x-delay}. Immutable: every method returns a copy.
 * A plain {@code RabbitTemplate} sends the message without a delay.
 *
 * <p>Instances with the same settings are equal, so a test can verify a call on a mocked template.
 */
public final class Delayed implements MessagePostProcessor {
  private static final Map<String, String> METHODS =
      Map.of(
          DelayRequest.DELAY, "delay",
          DelayRequest.DELIVER_AT, "deliverAt",
          DelayRequest.ID, "id",
          DelayRequest.BUSINESS_KEY, "businessKey",
          DelayRequest.ROUTE, "route",
          DelayRequest.STRATEGY, "strategy");

  private final Map<String, Object> headers;

  private Delayed(Map<String, Object> headers) {
    this.headers = headers;
  }

  /** Delivers this long after the send call, in whole ms, rounded up; at once if not positive. */
  public static Delayed delay(Duration delay) {
    return new Delayed(Map.of(DelayRequest.DELAY, delay.toString()));
  }

  /** Delivers at this instant, by the clock of the store or, without one, of this machine. */
  public static Delayed deliverAt(Instant deliverAt) {
    return new Delayed(Map.of(DelayRequest.DELIVER_AT, deliverAt.toString()));
  }

  /** Sets the id, 1 to 200 bytes of UTF-8. A stored message sent twice under one id exists once. */
  public Delayed id(String id) {
    return with(DelayRequest.ID, id);
  }

  /** Sets the caller's own name for a stored message, to find or cancel it by. It is not sent. */
  public Delayed businessKey(String businessKey) {
    return with(DelayRequest.BUSINESS_KEY, businessKey);
  }

  /** Uses the named route's policy, whatever exchange and routing key say. */
  public Delayed route(String route) {
    return with(DelayRequest.ROUTE, route);
  }

  /** Asks for a strategy, over the route's choice. Refused if it cannot hold this delay. */
  public Delayed strategy(DelayStrategy strategy) {
    return with(DelayRequest.STRATEGY, strategy.name());
  }

  private Delayed with(String header, String value) {
    Map<String, Object> more = new LinkedHashMap<>(headers);
    more.put(header, value);
    return new Delayed(more);
  }

  /**
   * These settings as headers, which a template that delays reads and never sends. For messages
   * that something else maps to AMQP: {@code MessageBuilder.withPayload(order).copyHeaders(…)}.
   */
  public Map<String, Object> headers() {
    return Collections.unmodifiableMap(headers);
  }

  /** Whether the other has the same settings, in whatever order they were made. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Delayed delayed && headers.equals(delayed.headers);
  }

  @Override
  public int hashCode() {
    return headers.hashCode();
  }

  /** Shows the settings: {@code Delayed[delay=PT30M, id=order-4711]}. */
  @Override
  public String toString() {
    return headers.entrySet().stream()
        .map(each -> METHODS.get(each.getKey()) + "=" + each.getValue())
        .collect(Collectors.joining(", ", "Delayed[", "]"));
  }

  @Override
  public Message postProcessMessage(Message message) {
    Map<String, Object> target = message.getMessageProperties().getHeaders();
    target.remove(DelayRequest.DELAY);
    target.remove(DelayRequest.DELIVER_AT);
    target.putAll(headers);
    return message;
  }
}
