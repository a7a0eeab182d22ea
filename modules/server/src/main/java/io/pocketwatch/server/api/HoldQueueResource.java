// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.rabbitmq.client.Connection;
import io.javalin.config.RoutesConfig;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.NativeHold;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.internal.topology.HoldFamily;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.QueueSpec;
import io.pocketwatch.internal.topology.Topology;
import io.pocketwatch.server.access.Caller;
import io.pocketwatch.server.broker.PassiveDeclares;
import io.pocketwatch.server.broker.WheelPresence;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.BrokerThreads;
import io.pocketwatch.server.http.CachedAnswers;
import io.pocketwatch.server.http.HttpPart;
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

/** The number of messages in each hold queue, asked over AMQP. */
final class HoldQueueResource {
  private static final Duration KEEP = Duration.ofSeconds(10);
  private static final String TTL = "x-message-ttl";

  private final BrokerSide broker;
  private final boolean expected;
  private final BrokerThreads threads;
  private final CachedAnswers<Boolean, Map<String, @Nullable Object>> answer =
      new CachedAnswers<>(1, KEEP, each -> ask());

  /**
   * @param threads to ask on
   * @param expected whether every queue of the configuration must exist; else the answer says which
   *     do
   */
  HoldQueueResource(BrokerSide broker, BrokerThreads threads, boolean expected) {
    this.threads = threads;
    this.broker = broker;
    this.expected = expected;
  }

  void addTo(RoutesConfig routes) {
    routes.get(
        HttpPart.REST + "/hold-queues",
        context -> {
          Caller.of(context).requireAllRoutes();
          Answers.json(context, 200, answer.get(expected, threads));
        });
  }

  /** To be called after a change of the queues. */
  void forget() {
    answer.forget();
  }

  private Map<String, @Nullable Object> ask() {
    try {
      return Channels.use(
          broker.connect("pocketwatch hold queues"),
          connection -> look(connection, broker.routes()));
    } catch (IOException | TimeoutException | RuntimeException e) {
      throw BrokerThreads.away("the broker cannot be asked for its queues");
    }
  }

  private Map<String, @Nullable Object> look(Connection connection, DelayRoutes routes)
      throws IOException {
    PassiveDeclares queues = new PassiveDeclares(connection);
    Names names = new Names(routes.hold().namePrefix());
    List<QueueLine> shown = new ArrayList<>();
    Map<DelayStrategy, Long> strategies = new TreeMap<>();
    int empty = 0;
    boolean noWheel = WheelPresence.absent(connection, routes, capabilities());
    for (QueueSpec queue : holds(routes)) {
      DelayStrategy strategy = names.holds(queue.name());
      if (strategy == null || noWheel && strategy == DelayStrategy.QUEUE_WHEEL) {
        continue;
      }
      Long messages = messages(queues, queue.name());
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
    json.put("unroutable", messages(queues, names.unroutable()));
    json.put("deliveryTime", deliveryTime());
    json.put("broken", broker.brokenHolds());
    if (!expected) {
      json.put("offered", offered(connection, names));
    }
    return json;
  }

  /** The number of messages; null if the broker refuses, as for a missing queue. */
  private static @Nullable Long messages(PassiveDeclares queues, String queue) throws IOException {
    PassiveDeclares.Answer answer = queues.ask(queue);
    return answer.refusal().isEmpty() ? answer.messages() : null;
  }

  /** Each strategy with whether its part of the topology was declared. */
  private Map<DelayStrategy, Boolean> offered(Connection connection, Names names)
      throws IOException {
    Map<DelayStrategy, Boolean> offered = new TreeMap<>();
    for (HoldFamily each : HoldFamily.values()) {
      boolean ttl = WheelPresence.isThere(connection, names.ttl(each));
      offered.merge(DelayStrategy.TTL_QUEUE, ttl, Boolean::logicalOr);
    }
    offered.put(
        DelayStrategy.QUEUE_WHEEL,
        !WheelPresence.absent(connection, broker.routes(), capabilities()));
    offered.put(
        DelayStrategy.TEMPORARY_QUEUE, WheelPresence.isThere(connection, names.temporary()));
    offered.put(DelayStrategy.DELAYED_EXCHANGE, WheelPresence.isThere(connection, names.delayed()));
    offered.put(
        DelayStrategy.DELIVERY_TIME, WheelPresence.isThere(connection, names.nativeExchange()));
    return offered;
  }

  /** Whether the broker holds messages natively, or why not; null if that is not asked for. */
  private @Nullable Map<String, @Nullable Object> deliveryTime() {
    NativeHold hold = broker.nativeHold();
    if (hold.state() == NativeHold.State.NOT_ASKED) {
      return null;
    }
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("used", hold.isUsable());
    json.put("why", hold.description());
    json.put("clockOffsetMs", hold.ahead() == null ? null : hold.ahead().toMillis());
    return json;
  }

  private List<QueueSpec> holds(DelayRoutes routes) {
    return Topology.of(routes, capabilities()).queues();
  }

  private BrokerCapabilities capabilities() {
    return new BrokerCapabilities(broker.brokerVersion(), false, false, 0, "");
  }

  /** The TTL of a queue; null if each message has its own. */
  private static @Nullable Long ttl(QueueSpec queue) {
    return queue.arguments().get(TTL) instanceof Number millis ? millis.longValue() : null;
  }

  private record QueueLine(
      String name, DelayStrategy strategy, @Nullable Long ttlMs, @Nullable Long messages) {}
}
