// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.request;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.Headers;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.server.http.ProblemType;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message to publish.
 *
 * @param message what to publish
 * @param route the route it matches
 * @param keyed whether it has an id
 */
public record NewMessage(DelayedMessage message, DelayRoute route, boolean keyed) {
  private static final int PERSISTENT = 2;
  private static final int TRANSIENT = 1;
  private static final int MOST_PRIORITY = 255;

  /**
   * @param keyOfHeader the id in the request's header, or null
   * @throws Problem naming the field that is wrong
   */
  public static NewMessage read(Fields fields, DelayRoutes routes, @Nullable String keyOfHeader) {
    DelayedMessage message = target(fields, routes);
    NewBody body = NewBody.read(fields);
    message = message.body(body.bytes()).properties(properties(fields, body.contentType()));
    message = timed(fields, message);
    String businessKey = fields.text("businessKey");
    if (businessKey != null) {
      message = message.businessKey(businessKey);
    }
    String key = key(fields, keyOfHeader);
    fields.requireNoOther();
    String name = message.route();
    DelayRoute route =
        name == null
            ? routes.match(message.exchange(), message.routingKey())
            : routes.all().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
    if (key != null && !route.tracked()) {
      throw Problem.at(
          ProblemType.ID_UNAVAILABLE,
          "/id",
          "route '%s' is not tracked: nobody keeps a row to find a second message by"
              .formatted(route.name()));
    }
    return new NewMessage(key == null ? message : message.id(key), route, key != null);
  }

  private static DelayedMessage target(Fields fields, DelayRoutes routes) {
    String name = fields.text("route");
    String exchange = fields.text("exchange");
    String routingKey = fields.text("routingKey");
    if (name == null) {
      if (routingKey == null) {
        throw fields.refuse("routingKey", "is missing; give a route, or exchange and routingKey");
      }
      return DelayedMessage.to(exchange == null ? "" : exchange, routingKey);
    }
    DelayRoute route = name.equals(DelayRoute.DEFAULTS) ? null : routes.named(name);
    if (route == null) {
      throw Problem.at(
          ProblemType.UNKNOWN_ROUTE, "/route", "the configuration has no route '" + name + "'");
    }
    if (exchange != null && !exchange.equals(route.exchange())) {
      throw fields.refuse("exchange", "is not that of route '" + name + "'; leave it out");
    }
    String fixed = route.routingKey();
    if (fixed != null && routingKey != null && !routingKey.equals(fixed)) {
      throw fields.refuse("routingKey", "is not that of route '" + name + "'; leave it out");
    }
    String key = fixed == null ? routingKey : fixed;
    if (key == null) {
      throw fields.refuse("routingKey", "is missing; route '" + name + "' is for every key");
    }
    return DelayedMessage.to(route.exchange(), key).route(name);
  }

  private static DelayedMessage timed(Fields fields, DelayedMessage message) {
    Duration delay = fields.delay("delay");
    Instant deliverAt = fields.instant("deliverAt");
    if (delay != null && deliverAt != null) {
      throw fields.refuse("deliverAt", "cannot be given together with delay");
    }
    if (delay != null) {
      return message.delay(delay);
    }
    return deliverAt == null ? message : message.deliverAt(deliverAt);
  }

  private static @Nullable String key(Fields fields, @Nullable String ofHeader) {
    String key = fields.text("id");
    if (key != null && ofHeader != null && !key.equals(ofHeader)) {
      throw fields.refuse("id", "is not that of the header Idempotency-Key");
    }
    String chosen = key == null ? ofHeader : key;
    if (".".equals(chosen) || "..".equals(chosen)) {
      throw fields.refuse("id", "is a name that no URL can end with");
    }
    return chosen;
  }

  private static BasicProperties properties(Fields fields, String contentType) {
    int priority = fields.integer("priority", 0, MOST_PRIORITY, -1);
    return new BasicProperties.Builder()
        .contentType(contentType)
        .headers(headers(fields))
        .deliveryMode(fields.bool("persistent", true) ? PERSISTENT : TRANSIENT)
        .priority(priority < 0 ? null : Integer.valueOf(priority))
        .messageId(fields.text("messageId"))
        .correlationId(fields.text("correlationId"))
        .replyTo(fields.text("replyTo"))
        .build();
  }

  private static @Nullable Map<String, Object> headers(Fields fields) {
    var given = fields.value("headers");
    if (given == null) {
      return null;
    }
    if (!given.isObject()) {
      throw fields.refuse("headers", "is not an object");
    }
    Map<String, Object> headers = new LinkedHashMap<>();
    for (var each : given.properties()) {
      String name = each.getKey();
      if (name.startsWith(Headers.PREFIX)) {
        throw fields.refuse("headers/" + name, "begins with " + Headers.PREFIX + ", which is ours");
      }
      HeaderValues.requireUnicode(name, "/headers/" + name);
      Object value = HeaderValues.fromJson(each.getValue(), "/headers/" + name);
      if (value == null) {
        throw fields.refuse("headers/" + name, "has no value");
      }
      headers.put(name, value);
    }
    return headers;
  }
}
