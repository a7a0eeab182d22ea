// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.config.DelayRoute.UserExpiration;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.Names;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rules for all messages, however they are published. A message refused here would make the
 * broker close the channel of other messages, stop a shared queue, or end its consumers. Some could
 * not be displayed or found.
 */
final class MessageRules {
  private static final int MAX_ID_BYTES = 200;

  /** The bytes of the ids, names and keys that we add, each of the greatest length. */
  private static final int OUR_HEADERS = 3_000;

  /** The Java client closes its connection at more than 32 levels, at each delivery. */
  private static final int MAX_NESTING = 30;

  private static final String DIRECT_REPLY = "amq.rabbitmq.reply-to";

  /** The broker's own exchanges, which take no message from a client. */
  private static final Set<String> INTERNAL = Set.of("amq.rabbitmq.trace", "amq.rabbitmq.log");

  private final DelayRoutes routes;
  private final BrokerCapabilities broker;
  private final Names names;

  MessageRules(DelayRoutes routes, BrokerCapabilities broker) {
    this.routes = routes;
    this.broker = broker;
    this.names = new Names(routes.hold().namePrefix());
  }

  /** Checks a message on publishing, with the properties known by then. */
  static void requireAcceptable(String id, DelayedMessage message) {
    requireName(id, "id", id);
    if (message.businessKey() != null) {
      requireName(id, "business key", message.businessKey());
    }
    requireNoDirectReply(id, message.properties());
  }

  /** Checks a message before each sending. */
  RoutingKeys check(Submission submission) {
    DelayedMessage message = submission.message();
    BasicProperties properties = message.properties();
    String id = submission.id();
    RoutingKeys.requireShort(id, "exchange name", message.exchange());
    RoutingKeys keys = RoutingKeys.of(id, message.routingKey(), properties.getHeaders());
    if (!submission.heldAgain()) { // it was received as it is, and goes back to its queue
      requireForeign(id, message.exchange(), keys);
      requirePlain(id, "content type", properties.getContentType());
      requirePlain(id, "content encoding", properties.getContentEncoding());
      requirePlain(id, "message-id", properties.getMessageId());
      requireShallow(id, properties.getHeaders());
    }
    requireUserId(id, properties);
    SizeCheck.body(id, message.body(), routes.publisher().maxBodySize());
    return keys;
  }

  /**
   * Checks a message before it is stored: its publisher cannot mend it when the broker refuses it
   * later.
   */
  void requireStorable(Submission submission) {
    RoutingKeys keys = check(submission);
    requireExpirationDroppable(submission);
    DelayedMessage message = submission.message();
    String id = submission.id();
    requireNoDirectReply(id, message.properties());
    requireKeepable(id, "id", id);
    requireKeepable(id, "exchange name", message.exchange());
    requireKeepable(id, "routing key", message.routingKey());
    if (message.businessKey() != null) {
      requireKeepable(id, "business key", message.businessKey());
    }
    SizeCheck.properties(
        id,
        message.properties(),
        broker.frameMax() - OUR_HEADERS,
        routes.hold().wheel().hands().size() + 2,
        routes.hold().namePrefix(),
        keys);
  }

  boolean isForeignUserId(BasicProperties properties) {
    String userId = properties.getUserId();
    return userId != null && !userId.equals(broker.userName());
  }

  /** The broker closes the channel on an invalid expiration. */
  static void requireValidExpiration(String id, @Nullable String expiration) {
    if (expiration != null
        && !(expiration.matches("\\d{1,12}")
            && Long.parseLong(expiration) <= DelayLimits.MAX_TTL.toMillis())) {
      throw new InvalidMessageException(
          id,
          "its expiration is '%s'; allowed: 0 to %s, in ms"
              .formatted(expiration, DelayLimits.MAX_TTL.toMillis()));
    }
  }

  static void requireExpirationDroppable(Submission submission) {
    String expiration = submission.message().properties().getExpiration();
    if (expiration != null && submission.route().userExpiration() == UserExpiration.REJECT) {
      throw new InvalidMessageException(
          submission.id(),
          "its expiration of %s ms cannot survive the hold; leave it out, or set"
                  .formatted(expiration)
              + " user-expiration: drop on route "
              + submission.route().name());
    }
  }

  /** Checks a text by which people, logs and URLs name a message. */
  private static void requireName(String id, String what, String name) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes < 1 || bytes > MAX_ID_BYTES) {
      throw new InvalidMessageException(
          id, "its %s is %s bytes long; allowed: 1 to %s".formatted(what, bytes, MAX_ID_BYTES));
    }
    RoutingKeys.requireText(id, "its " + what, name);
    requirePlain(id, what, name);
  }

  /** Refuses control characters: they could forge a line of a log, or control a terminal. */
  private static void requirePlain(String id, String what, @Nullable String text) {
    for (int i = 0; text != null && i < text.length(); i++) {
      if (isControl(text.charAt(i))) {
        throw new InvalidMessageException(
            id,
            String.format(
                Locale.ROOT,
                "its %s has the control character U+%04X at index %s",
                what,
                (int) text.charAt(i),
                i));
      }
    }
  }

  private static boolean isControl(char c) {
    if (c < ' ' || c >= 0x7f && c < 0xa0) {
      return true;
    }
    return c == '\u2028' || c == '\u2029' || isBidirectional(c);
  }

  /** Whether it is an embedding, override or isolate, which show a text in another order. */
  private static boolean isBidirectional(char c) {
    return c >= '\u202a' && c <= '\u202e' || c >= '\u2066' && c <= '\u2069';
  }

  /** PostgreSQL has no text with a NUL, and MySQL sees no blank at an end; AMQP allows both. */
  private static void requireKeepable(String id, String what, String text) {
    if (text.indexOf('\0') >= 0) {
      throw new InvalidMessageException(
          id, "its " + what + " contains a NUL, which a database cannot keep");
    }
    if (text.endsWith(" ")) {
      throw new InvalidMessageException(
          id, "its " + what + " ends with a blank, which databases do not compare");
    }
  }

  private void requireForeign(String id, String exchange, RoutingKeys keys) {
    if (names.isOurs(exchange)) {
      throw new InvalidMessageException(
          id, "exchange '" + exchange + "' is one of Pocketwatch's own and cannot be a target");
    }
    if (INTERNAL.contains(exchange)) {
      throw new InvalidMessageException(
          id, "exchange '" + exchange + "' is internal to RabbitMQ and cannot be a target");
    }
    if (exchange.isEmpty()) {
      requireForeignQueue(id, keys.routingKey());
      keys.copies().forEach(key -> requireForeignQueue(id, key));
    }
  }

  /** A message that enters a hold queue without steering keys blocks those behind it. */
  private void requireForeignQueue(String id, String queue) {
    if (names.isOurQueue(queue)) {
      throw new InvalidMessageException(
          id, "queue '" + queue + "' is one of Pocketwatch's own and cannot be a target");
    }
  }

  /** The broker closes the channel if the user-id is not the connection's. */
  private void requireUserId(String id, BasicProperties properties) {
    if (isForeignUserId(properties)) {
      throw new InvalidMessageException(
          id,
          "its user-id is '%s', but this connection is logged in as '%s'"
              .formatted(properties.getUserId(), broker.userName()));
    }
  }

  /**
   * The broker closes the channel on this address, unless it is the one that waits for the reply. A
   * framework's may be; it sets this property after the message was accepted.
   */
  private static void requireNoDirectReply(String id, BasicProperties properties) {
    if (DIRECT_REPLY.equals(properties.getReplyTo())) {
      throw new InvalidMessageException(
          id,
          "its reply-to is '"
              + DIRECT_REPLY
              + "', a direct reply, which is tied to its sender's channel; name a reply queue");
    }
  }

  private static void requireShallow(String id, @Nullable Map<String, Object> headers) {
    if (headers != null) {
      headers.forEach((name, value) -> requireShallow(id, name, value, 0));
    }
  }

  private static void requireShallow(String id, String name, @Nullable Object value, int outside) {
    Collection<?> inside =
        value instanceof Map<?, ?> map
            ? map.values()
            : value instanceof List<?> list
                ? list
                : value instanceof Object[] array ? Arrays.asList(array) : null;
    if (inside == null) {
      return;
    }
    if (outside == MAX_NESTING) {
      throw new InvalidMessageException(
          id,
          "header %s nests tables and arrays deeper than consumers can read; allowed: %s levels"
              .formatted(name, MAX_NESTING));
    }
    inside.forEach(each -> requireShallow(id, name, each, outside + 1));
  }
}
