// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.deadletter;

import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.GetResponse;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.Headers;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.server.broker.TolerantConnection;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The target of a message that waits, or the reason why it stays.
 *
 * @param obstacle a part of a sentence, or null if it may go
 * @param exchange the exchange it was addressed to
 * @param routingKey the routing key of its sender
 */
record ResendTarget(@Nullable String obstacle, String exchange, String routingKey) {
  static final String NOT_DUE = "not due yet: send again later";

  /** Headers that federation and shovels add, with the field that names the exchange. */
  private static final Map<String, String> COPIED =
      Map.of("x-received-from", "exchange", "x-shovelled", "src-exchange");

  /** A message that is not ours stays, whatever targets there are. */
  static ResendTarget of(GetResponse message, Names names, Instant now) {
    if (TolerantConnection.unreadable(message.getProps()) != null) {
      return stays("not readable, as the header %s says".formatted(TolerantConnection.UNREADABLE));
    }
    return DelayedDelivery.of(message.getEnvelope(), message.getProps())
        .map(ours -> of(message.getEnvelope(), ours, names, now))
        .orElseGet(() -> stays("not sent by Pocketwatch"));
  }

  /**
   * @param now a message that is due later stays
   */
  static ResendTarget of(Envelope envelope, DelayedDelivery ours, Names names, Instant now) {
    Map<String, Object> headers = ours.properties().getHeaders();
    String copied = copiedFrom(headers, names);
    if (copied != null) {
      return stays(
          ("a copy that federation or a shovel made in exchange '%s'; the message itself went its"
                  + " own way")
              .formatted(copied));
    }
    String exchange = ours.exchange();
    if (names.isOurs(exchange)) {
      return stays("addressed to '%s', an exchange of ours".formatted(exchange));
    }
    String key = ours.routingKey();
    if (names.isOurQueue(key) || movedByHand(envelope, headers, names)) {
      key = keyBeforeTheMove(headers.get("x-death"), names).orElse(key);
    }
    if (names.isOurQueue(key)) { // by the default exchange, under the queue's name
      return stays(
          "moved by hand, and queue '%s' stands in place of its routing key%s"
              .formatted(key, exchange.isEmpty() ? "" : "; its exchange was '" + exchange + "'"));
    }
    return due(ours).isAfter(now) ? stays(NOT_DUE) : new ResendTarget(null, exchange, key);
  }

  private static ResendTarget stays(String obstacle) {
    return new ResendTarget(obstacle, "", "");
  }

  private static Instant due(DelayedDelivery ours) {
    Instant deliverAt = ours.deliverAt();
    Object deferred = ours.properties().getHeaders().get(Headers.DEFERRED_UNTIL);
    if (deferred instanceof Number millis) {
      Instant until = Instant.ofEpochMilli(millis.longValue());
      return until.isAfter(deliverAt) ? until : deliverAt;
    }
    return deliverAt;
  }

  /** Our exchange that a message was copied from, or null if it is no copy. */
  private static @Nullable String copiedFrom(Map<String, Object> headers, Names names) {
    for (Map.Entry<String, String> each : COPIED.entrySet()) {
      if (headers.get(each.getKey()) instanceof List<?> hops) {
        for (Object hop : hops) {
          String exchange = hop instanceof Map<?, ?> map ? text(map.get(each.getValue())) : "";
          if (names.isOurs(exchange)) {
            return exchange;
          }
        }
      }
    }
    return null;
  }

  /** Whether it came where we never publish. A copy that was held again has its key in a header. */
  private static boolean movedByHand(Envelope envelope, Map<String, Object> headers, Names names) {
    return !headers.containsKey(Headers.ROUTING_KEY)
        && (envelope.getExchange().isEmpty() || envelope.getExchange().equals(names.unroutable()));
  }

  /** The routing key before the move, which the broker notes among the deaths. */
  private static Optional<String> keyBeforeTheMove(@Nullable Object deaths, Names names) {
    if (deaths instanceof List<?> list) {
      for (Object death : list) {
        if (death instanceof Map<?, ?> entry
            && names.isOurQueue(text(entry.get("queue")))
            && names.isOurs(text(entry.get("exchange")))
            && entry.get("routing-keys") instanceof List<?> keys
            && !keys.isEmpty()
            && !names.isOurQueue(text(keys.get(0)))) {
          return Optional.of(text(keys.get(0)));
        }
      }
    }
    return Optional.empty();
  }

  private static String text(@Nullable Object value) {
    return value == null ? "" : value.toString();
  }
}
