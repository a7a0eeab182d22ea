// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.deadletter;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.GetResponse;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.Headers;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.rows.RequeuedHold;
import io.pocketwatch.server.broker.TolerantConnection;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A message that waits in a queue for a person.
 *
 * @param id null if it has none
 * @param route its route, or null if that is unknown
 * @param exchange the exchange it was addressed to, empty for a queue
 * @param routingKey the routing key of its sender
 * @param deliverAt when it was due, or null if it does not say
 * @param attempts how often it was tried
 * @param reason why it is there, or null if that is not known
 * @param contentType null if it has none
 * @param bodyBytes how large the body is
 * @param bodyText its first 4,096 bytes, if they are UTF-8
 * @param bodyBase64 these bytes otherwise
 */
public record DeadLetter(
    @Nullable String id,
    @Nullable String route,
    String exchange,
    String routingKey,
    @Nullable Instant deliverAt,
    int attempts,
    @Nullable String reason,
    @Nullable String contentType,
    int bodyBytes,
    @Nullable String bodyText,
    @Nullable String bodyBase64) {
  private static final int SHOWN = 4_096;

  /**
   * @param queue the queue it waits in
   * @param reason the reason, or null for that in the message
   */
  static DeadLetter of(
      GetResponse message, DeadLetterQueue queue, DelayRoutes routes, @Nullable String reason) {
    BasicProperties properties = message.getProps();
    Optional<DelayedDelivery> ours = DelayedDelivery.of(message.getEnvelope(), properties);
    String exchange =
        queue.origin() != null
            ? ""
            : ours.map(DelayedDelivery::exchange).orElse(message.getEnvelope().getExchange());
    String key =
        queue.origin() != null
            ? queue.origin()
            : ours.map(DelayedDelivery::routingKey).orElse(message.getEnvelope().getRoutingKey());
    ByteBuffer body = ByteBuffer.wrap(message.getBody());
    body.limit(Math.min(SHOWN, body.limit()));
    String text = text(body);
    return new DeadLetter(
        Headers.id(properties),
        route(properties, queue, routes, ours),
        exchange,
        key,
        ours.map(DelayedDelivery::deliverAt).orElse(null),
        RequeuedHold.attempts(properties) + 1,
        reason != null ? reason : written(properties),
        properties.getContentType(),
        message.getBody().length,
        text,
        text != null ? null : StandardCharsets.ISO_8859_1.decode(encoded(body)).toString());
  }

  private static @Nullable String route(
      BasicProperties properties,
      DeadLetterQueue queue,
      DelayRoutes routes,
      Optional<DelayedDelivery> ours) {
    if (queue.route() != null) {
      return queue.route();
    }
    Map<String, Object> headers = properties.getHeaders();
    Object named = headers == null ? null : headers.get(Headers.ROUTE);
    return named != null
        ? named.toString()
        : ours.map(each -> routes.match(each.exchange(), each.routingKey()).name()).orElse(null);
  }

  private static @Nullable String written(BasicProperties properties) {
    Map<String, Object> headers = properties.getHeaders();
    Object reason = headers == null ? null : headers.get(DeadLetterQueue.REASON);
    if (reason == null && headers != null) {
      reason = headers.get(TolerantConnection.UNREADABLE);
    }
    return reason == null ? null : reason.toString();
  }

  /** The body as UTF-8 text, cut before a split character; null if it is not text. */
  private static @Nullable String text(ByteBuffer body) {
    CharBuffer text = CharBuffer.allocate(body.remaining());
    boolean cut = body.limit() < body.capacity();
    return StandardCharsets.UTF_8.newDecoder().decode(body.duplicate(), text, !cut).isError()
        ? null
        : text.flip().toString();
  }

  private static ByteBuffer encoded(ByteBuffer body) {
    return Base64.getEncoder().encode(body.duplicate());
  }
}
