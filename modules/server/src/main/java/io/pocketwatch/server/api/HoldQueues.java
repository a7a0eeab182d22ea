// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.javalin.config.RoutesConfig;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.NativeHold;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.topology.BrokerFacts;
import io.pocketwatch.internal.topology.HoldClass;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.QueueSpec;
import io.pocketwatch.internal.topology.Topology;
import io.pocketwatch.server.hold.WheelPresence;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** How many messages each hold queue has, as the broker says over AMQP. */
final class HoldQueues {
  private static final Duration KEEP = Duration.ofSeconds(10);
  private static final int CLOSE_MILLIS = 2_000;
  private static final String TTL = "x-message-ttl";

  private final BrokerSide broker;
  private final boolean expected;
  private final Cached<Map<String, @Nullable Object>> answer = new Cached<>(KEEP, this::ask);

  /**
   * @param expected whether every queue of the configuration has to be there; else it is told what
   *     of it is
   */
  HoldQueues(BrokerSide broker, boolean expected) {
    this.broker = broker;
    this.expected = expected;
  }

  void addTo(RoutesConfig routes) {
    routes.get(
        RestApi.ROOT + "/hold-queues",
        context -> {
          Caller.of(context).requireAllRoutes();
          Answers.json(context, 200, answer.get());
        });
  }

  /** After something was done about them. */
  void forget() {
    answer.forget();
  }

  private Map<String, @Nullable Object> ask() {
    DelayRoutes routes = broker.routes();
    Connection connection;
    try {
      connection = broker.connect("pocketwatch hold queues");
    } catch (IOException | TimeoutException e) {
      throw away();
    }
    try {
      return look(new Lengths(connection), routes);
    } catch (IOException | RuntimeException e) {
      throw away();
    } finally {
      connection.abort(CLOSE_MILLIS);
    }
  }

  private static ProblemException away() {
    return new ProblemException(
        Problem.of(ProblemType.BROKER_UNAVAILABLE, "the broker cannot be asked for its queues")
            .retryAfter(Failures.COME_AGAIN));
  }

  private Map<String, @Nullable Object> look(Lengths lengths, DelayRoutes routes)
      throws IOException {
    Names names = new Names(routes.hold().namePrefix());
    List<QueueLine> shown = new ArrayList<>();
    Map<DelayStrategy, Long> strategies = new TreeMap<>();
    int empty = 0;
    boolean noWheel = WheelPresence.absent(lengths.connection, routes, facts());
    for (QueueSpec queue : holds(routes)) {
      DelayStrategy strategy = names.holds(queue.name());
      if (strategy == null || noWheel && strategy == DelayStrategy.QUEUE_WHEEL) {
        continue;
      }
      Long messages = lengths.of(queue.name());
      if (messages == null && !expected) {
        continue;
      }
      strategies.merge(strategy, messages == null ? 0 : messages, Long::sum);
      if (messages != null && messages == 0) {
        empty++;
      } else {
        shown.add(new QueueLine(queue.name(), strategy, ttl(queue), messages));
      }
    }
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("at", Instant.now());
    json.put("held", strategies.values().stream().mapToLong(Long::longValue).sum());
    json.put("strategies", strategies);
    json.put("queues", shown);
    json.put("empty", empty);
    json.put("unroutable", lengths.of(names.unroutable()));
    json.put("deliveryTime", deliveryTime());
    json.put("broken", broker.brokenHolds());
    if (!expected) {
      json.put("offered", offered(lengths.connection, names));
    }
    return json;
  }

  /** The strategies whose part of the topology has been declared, each with whether it has. */
  private Map<DelayStrategy, Boolean> offered(Connection connection, Names names)
      throws IOException {
    Map<DelayStrategy, Boolean> offered = new TreeMap<>();
    for (HoldClass each : HoldClass.values()) {
      boolean ttl = WheelPresence.isThere(connection, names.ttl(each));
      offered.merge(DelayStrategy.TTL_QUEUE, ttl, Boolean::logicalOr);
    }
    offered.put(
        DelayStrategy.QUEUE_WHEEL, !WheelPresence.absent(connection, broker.routes(), facts()));
    offered.put(
        DelayStrategy.TEMPORARY_QUEUE, WheelPresence.isThere(connection, names.temporary()));
    offered.put(DelayStrategy.DELAYED_EXCHANGE, WheelPresence.isThere(connection, names.delayed()));
    offered.put(
        DelayStrategy.DELIVERY_TIME, WheelPresence.isThere(connection, names.nativeExchange()));
    return offered;
  }

  /** Whether the broker holds messages by itself, and why not; null if nobody asks for that. */
  private @Nullable Map<String, @Nullable Object> deliveryTime() {
    NativeHold hold = broker.nativeHold();
    if (hold.state() == NativeHold.State.NOT_ASKED) {
      return null;
    }
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("used", hold.isUsable());
    json.put("why", hold.words());
    json.put("clockOffsetMs", hold.ahead() == null ? null : hold.ahead().toMillis());
    return json;
  }

  private List<QueueSpec> holds(DelayRoutes routes) {
    return Topology.of(routes, facts()).queues();
  }

  private BrokerFacts facts() {
    return new BrokerFacts(broker.brokerVersion(), false, false, 0, "");
  }

  /** Null if each message has a time of its own. */
  private static @Nullable Long ttl(QueueSpec queue) {
    return queue.arguments().get(TTL) instanceof Number millis ? millis.longValue() : null;
  }

  private record QueueLine(
      String name, DelayStrategy strategy, @Nullable Long ttlMs, @Nullable Long messages) {}

  /** Asks about one queue after the other; a queue that is not there costs a channel. */
  private static final class Lengths {
    private final Connection connection;
    private @Nullable Channel channel;

    Lengths(Connection connection) {
      this.connection = connection;
    }

    /** Null if it is not there. */
    @Nullable Long of(String queue) throws IOException {
      Channel open = channel;
      if (open == null || !open.isOpen()) {
        open = connection.createChannel();
        channel = open;
      }
      if (open == null) {
        throw new IOException("the connection allows no channel");
      }
      try {
        return (long) open.queueDeclarePassive(queue).getMessageCount();
      } catch (IOException e) {
        if (connection.isOpen() && !open.isOpen()) {
          return null;
        }
        throw e;
      }
    }
  }
}
