// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Return;
import io.pocketwatch.Headers;
import io.pocketwatch.config.DelayRoutes;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.rabbit.connection.ChannelProxy;
import org.springframework.amqp.rabbit.connection.PublisherCallbackChannel;

/**
 * Reports messages that the broker returns because their hold queue is gone. They are lost unless
 * they are reported, whether or not the application asks for returns.
 */
final class MissingHoldReturns {
  private static final Logger LOG = LoggerFactory.getLogger(MissingHoldReturns.class);

  /** The header by which Spring finds the call that waits for a reply, and fails it. */
  private static final String WAITING_REQUEST = "spring_request_return_correlation";

  private final DelayRoutes routes;
  private final Set<Channel> listenedTo =
      Collections.newSetFromMap(Collections.synchronizedMap(new WeakHashMap<>()));

  MissingHoldReturns(DelayRoutes routes) {
    this.routes = routes;
  }

  /**
   * Makes sure that a return on this channel is reported: to the template if Spring's channel
   * passes returns on, else in the log.
   *
   * @return the properties to publish with
   */
  BasicProperties heard(DelayedRabbitTemplate template, Channel channel, BasicProperties original) {
    if (!(channel instanceof PublisherCallbackChannel)) {
      listen(channel instanceof ChannelProxy proxy ? proxy.getTargetChannel() : channel);
      return original;
    }
    template.addListener(channel);
    Map<String, @Nullable Object> headers = new LinkedHashMap<>();
    if (original.getHeaders() != null) {
      headers.putAll(original.getHeaders());
    }
    headers.put(PublisherCallbackChannel.RETURN_LISTENER_CORRELATION_KEY, template.getUUID());
    return original.builder().headers(headers).build();
  }

  private void listen(Channel channel) {
    if (listenedTo.add(channel)) {
      channel.addReturnListener(
          returned -> {
            if (held(headers(returned))) {
              complain(returned);
            }
          });
    }
  }

  /** Whether it is a held message whose return nothing in the application is told of. */
  static boolean unheard(Return returned, boolean returnsCallback) {
    Map<String, Object> headers = headers(returned);
    return held(headers)
        && !returnsCallback
        && !headers.containsKey(PublisherCallbackChannel.RETURNED_MESSAGE_CORRELATION_KEY)
        && !headers.containsKey(WAITING_REQUEST);
  }

  private static boolean held(Map<String, Object> headers) {
    return headers.containsKey(Headers.EXCHANGE);
  }

  /** Logs the loss. Call it before the return is restored: it names the exchange of the hold. */
  void complain(Return returned) {
    Map<String, Object> headers = headers(returned);
    String exchange = String.valueOf(headers.get(Headers.EXCHANGE));
    Object route = headers.get(Headers.ROUTE);
    LOG.error(
        "Message {} of route '{}' (exchange '{}', routing key '{}') is LOST unless it is sent"
            + " again. The broker returned it, {}, because its hold queue at '{}' is missing."
            + " './pocketwatch repair --yes' declares that queue anew; so does an application"
            + " with topology: declare when it starts",
        Headers.id(returned.getProperties()),
        route == null ? routes.match(exchange, returned.getRoutingKey()).name() : route,
        exchange,
        returned.getRoutingKey(),
        returned.getReplyText(),
        returned.getExchange());
  }

  private static Map<String, Object> headers(Return returned) {
    Map<String, Object> headers = returned.getProperties().getHeaders();
    return headers == null ? Map.of() : headers;
  }
}
