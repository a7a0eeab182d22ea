// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.test;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.Headers;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.UserExpiration;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.QueueSpec;
import io.pocketwatch.internal.topology.Topology;
import io.pocketwatch.spi.Planning;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Takes messages out of their hold queues; may publish them anew for an earlier instant. */
final class HeldMessages {
  private static final String MOVED = "moved-by-test";
  private static final JsonMapper JSON = new JsonMapper();

  private final DelayedPublisher publisher;
  private final Supplier<Optional<String>> queues;

  HeldMessages(DelayedPublisher publisher, Supplier<Optional<String>> queues) {
    this.publisher = publisher;
    this.queues = queues;
  }

  /**
   * A message that was taken, and is given back unless it is acknowledged.
   *
   * @param routingKey the key it was sent with
   * @param until when it would have left its hold
   */
  private record Held(String queue, String routingKey, Instant until, GetResponse got) {
    BasicProperties properties() {
      return got.getProps();
    }
  }

  /** Makes messages due earlier; returns how many are due by that. */
  int advance(Connection connection, Duration time) throws IOException, InterruptedException {
    Planning planning = publisher.unwrap(Planning.class);
    Channel channel = Channels.open(connection);
    List<Held> taken = take(connection, channel);
    taken.sort(Comparator.comparing(Held::until)); // as they would have come
    Instant now = planning.now();
    int due = 0;
    String problem = "";
    for (Held held : taken) { // one by one, or those to a new target could overtake each other
      String refusal = refusal(planning.publish(moved(held, time)));
      if (!refusal.isEmpty()) {
        problem =
            "message %s of %s: %s".formatted(Headers.id(held.properties()), held.queue(), refusal);
        continue;
      }
      throwAway(channel, held);
      if (held.until().isAfter(now) && !held.until().minus(time).isAfter(now)) {
        due++;
      }
    }
    if (!problem.isEmpty()) {
      throw new IllegalStateException("time could not be moved for " + problem);
    }
    return due;
  }

  /** Discards all held messages. */
  void clear(Connection connection) throws IOException {
    Channel channel = Channels.open(connection);
    for (Held held : take(connection, channel)) {
      throwAway(channel, held);
    }
  }

  /** The number of messages in each hold queue, for people. They stay where they are. */
  List<String> waiting(Connection connection) throws IOException {
    List<String> queues = new ArrayList<>(temporaryQueues(connection).keySet());
    queues.addAll(sharedQueues(connection));
    Looks looks = new Looks(connection);
    List<String> waiting = new ArrayList<>();
    for (String queue : queues) {
      int messages = looks.messages(queue);
      if (messages > 0) {
        waiting.add("in queue %s: %s".formatted(queue, messages));
      }
    }
    return waiting;
  }

  private static void throwAway(Channel channel, Held held) throws IOException {
    channel.basicAck(held.got().getEnvelope().getDeliveryTag(), false);
    if (Names.holding(held.queue()) == DelayStrategy.TEMPORARY_QUEUE) {
      channel.queueDelete(held.queue());
    }
  }

  /** The reason why a message was not confirmed; empty if it was. */
  private static String refusal(CompletableFuture<PublishReceipt> sent)
      throws InterruptedException {
    try {
      PublishReceipt receipt = sent.get();
      return receipt.confirmed() ? "" : (receipt.cause() + " " + receipt.detail()).strip();
    } catch (ExecutionException e) {
      return ErrorWords.of(e);
    }
  }

  /** Takes until none is left, as messages may pass from one hand of the wheel to the next. */
  private List<Held> take(Connection connection, Channel channel) throws IOException {
    Map<String, @Nullable String> from = new LinkedHashMap<>(temporaryQueues(connection));
    sharedQueues(connection).forEach(queue -> from.put(queue, null));
    List<Held> taken = new ArrayList<>();
    boolean more = !from.isEmpty();
    while (more) {
      more = false;
      for (Map.Entry<String, @Nullable String> queue : from.entrySet()) {
        GetResponse got = channel.basicGet(queue.getKey(), false);
        for (; got != null; got = channel.basicGet(queue.getKey(), false)) {
          more = true;
          Instant until = until(got.getProps().getHeaders());
          if (until != null) { // any other was not sent by a publisher of ours
            String key = queue.getValue();
            String sentWith = key == null ? got.getEnvelope().getRoutingKey() : key;
            taken.add(new Held(queue.getKey(), sentWith, until, got));
          }
        }
      }
    }
    return taken;
  }

  private static @Nullable Instant until(@Nullable Map<String, Object> headers) {
    return headers != null && headers.get(Headers.DEFERRED_UNTIL) instanceof Number millis
        ? Instant.ofEpochMilli(millis.longValue())
        : Headers.deliverAt(headers);
  }

  /** The configured hold queues that exist. Without its first queue a part is not in use. */
  private List<String> sharedQueues(Connection connection) throws IOException {
    DelayRoutes routes = publisher.routes();
    Names names = new Names(routes.hold().namePrefix());
    Looks looks = new Looks(connection);
    String version = String.valueOf(connection.getServerProperties().get("version"));
    BrokerCapabilities broker = new BrokerCapabilities(version, false, false, 0, "");
    Map<String, Boolean> parts = new HashMap<>();
    List<String> there = new ArrayList<>();
    for (QueueSpec queue : Topology.of(routes, broker).queues()) {
      String name = queue.name();
      DelayStrategy strategy = names.holds(name);
      if (strategy == DelayStrategy.DELIVERY_TIME && looks.messages(name) > 0) {
        throw new IllegalStateException(
            "time cannot be moved for what the broker holds by DELIVERY_TIME, in "
                + name
                + "; leave pocketwatch.native off in tests, and name that strategy on no route");
      }
      if (strategy == DelayStrategy.TTL_QUEUE || strategy == DelayStrategy.QUEUE_WHEEL) {
        String part = name.substring(0, name.lastIndexOf('.'));
        if (parts.getOrDefault(part, true)) {
          boolean isThere = looks.messages(name) >= 0;
          parts.putIfAbsent(part, isThere);
          if (isThere) { // a later one may not be there yet, or no longer, and holds nothing then
            there.add(name);
          }
        }
      }
    }
    return there;
  }

  /** Asks for queues on a channel that a refusal closes; the next question opens another. */
  private static final class Looks {
    private final Connection connection;
    private Channel channel;

    Looks(Connection connection) throws IOException {
      this.connection = connection;
      this.channel = Channels.open(connection);
    }

    /** The number of messages in the queue; negative if there is no such queue. */
    int messages(String queue) throws IOException {
      if (!channel.isOpen()) {
        channel = Channels.open(connection);
      }
      try {
        return channel.queueDeclarePassive(queue).getMessageCount();
      } catch (IOException e) {
        return -1;
      }
    }
  }

  /** Temporary queues, with the key their message was sent with; null if it has that still. */
  private Map<String, @Nullable String> temporaryQueues(Connection connection) throws IOException {
    Map<String, @Nullable String> found = new LinkedHashMap<>();
    String prefix = new Names(publisher.routes().hold().namePrefix()).temporary() + ".";
    Looks looks = new Looks(connection);
    for (JsonNode queue : JSON.readTree(queues.get().orElse("[]"))) {
      String name = queue.path("name").asText();
      if (name.startsWith(prefix) && looks.messages(name) >= 0) {
        found.put(name, queue.path("arguments").path("x-dead-letter-routing-key").textValue());
      }
    }
    return found;
  }

  /** Uses a route of its own: the message's may be tracked, and it needs no further row. */
  private Submission moved(Held held, Duration time) {
    Map<String, @Nullable Object> headers = new LinkedHashMap<>(held.properties().getHeaders());
    headers.remove("BCC");
    earlier(headers, Headers.DELIVER_AT, time);
    earlier(headers, Headers.DEFERRED_UNTIL, time);
    boolean heldAgain = headers.containsKey(Headers.ROUTING_KEY); // which goes to its queue alone
    String exchange = heldAgain ? "" : String.valueOf(headers.getOrDefault(Headers.EXCHANGE, ""));
    DelayRoute own = publisher.routes().match(exchange, held.routingKey());
    DelayedMessage message =
        DelayedMessage.to(exchange, held.routingKey())
            .properties(held.properties().builder().headers(headers).build())
            .body(held.got().getBody());
    if (Names.holding(held.queue()) == DelayStrategy.TEMPORARY_QUEUE) {
      message = message.strategy(DelayStrategy.TEMPORARY_QUEUE);
    }
    return new Submission(
        message,
        String.valueOf(Headers.id(held.properties())),
        DelayRoute.builder(MOVED)
            .exchange(exchange)
            .routingKey(held.routingKey())
            .userExpiration(UserExpiration.DROP)
            .isolation(own.isolation())
            .build(),
        null,
        held.until().minus(time),
        Duration.ZERO,
        0,
        true,
        false);
  }

  private static void earlier(Map<String, @Nullable Object> headers, String header, Duration by) {
    headers.computeIfPresent(
        header,
        (name, at) -> at instanceof Number millis ? millis.longValue() - by.toMillis() : at);
  }
}
