// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.impl.LongStringHelper;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Isolation;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.topology.Destination.Way;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/** Messages as somebody would make them who wants them to go where they should not. */
final class FuzzMessages {
  static final BrokerCapabilities BROKER =
      new BrokerCapabilities("4.3.6", true, false, 131_072, "guest");
  static final Instant NOW = Instant.parse("2026-03-01T10:15:30.123456Z");
  static final Names NAMES = new Names("pocketwatch");
  static final DelayRoutes ROUTES =
      DelayRoutes.builder()
          .route(
              DelayRoute.builder("orders")
                  .exchange("orders")
                  .delays(Duration.ofMillis(1_000))
                  .build())
          .route(
              DelayRoute.builder("isolated")
                  .exchange("isolated")
                  .isolation(Isolation.DESTINATION)
                  .build())
          .build();

  private static final List<String> PARTS =
      List.of(
          "pw-",
          "pw-to-",
          "pw-to-secret",
          "pw-queues",
          "pw-queues-via",
          "pw-via-secret",
          "pw-out-secret",
          "pw-1s-1",
          "pw-1m-5",
          "pw-ttl-1000",
          "pw-tmp-",
          "pw-probe-",
          "PW-",
          "pw",
          "pocketwatch.deliver",
          "pocketwatch.queues",
          "pocketwatch.",
          "orders",
          "isolated",
          "open",
          "secret",
          "secret.box",
          "mail.box",
          "order.timeout",
          "copy.one",
          ".",
          "..",
          "#",
          "*",
          "~",
          "~h",
          "~q",
          "~2e",
          "-",
          " ",
          "\0",
          "\n",
          "é",
          "€",
          "😀",
          "\ud800",
          "a",
          "Z",
          "9",
          "amq.default");

  private static final List<String> HEADERS =
      List.of(
          "CC",
          "BCC",
          "cc",
          "bcc",
          "x-delay",
          "x-death",
          "x-first-death-queue",
          "x-last-death-exchange",
          "x-cc",
          "pocketwatch-id",
          "pocketwatch-exchange",
          "pocketwatch-deliver-at",
          "pocketwatch-route",
          "pocketwatch-generation",
          "pocketwatch-",
          "alternate-exchange",
          "order",
          "");

  private static final List<String> EXCHANGES = List.of("orders", "isolated", "open", "");
  private static final Set<String> QUEUES = Set.of("mail.box", "secret.box");
  private static final List<DelayStrategy> STRATEGIES =
      List.of(
          DelayStrategy.QUEUE_WHEEL,
          DelayStrategy.TTL_QUEUE,
          DelayStrategy.TEMPORARY_QUEUE,
          DelayStrategy.DELAYED_EXCHANGE);

  private final SplittableRandom random;

  FuzzMessages(long seed) {
    random = new SplittableRandom(seed);
  }

  /** A user's exchanges and queues, and those of somebody else on the same topology. */
  static BrokerModel broker() {
    BrokerModel broker = new BrokerModel();
    broker.declare(Topology.of(ROUTES, BROKER));
    broker.exchange("orders", "topic");
    broker.exchange("isolated", "direct");
    broker.exchange("open", "fanout");
    broker.exchange("secret", "fanout");
    for (String queue : List.of("due", "copies", "all", "exact", "wrong", "others")) {
      broker.queue(queue);
    }
    QUEUES.forEach(broker::queue);
    broker.bind(BindingSpec.queue("orders", "due", "order.timeout"));
    broker.bind(BindingSpec.queue("orders", "copies", "copy.#"));
    broker.bind(BindingSpec.queue("isolated", "exact", "order.timeout"));
    broker.bind(BindingSpec.queue("open", "all", ""));
    broker.bind(BindingSpec.queue("secret", "others", ""));
    for (String pattern : List.of("*.*.*.*.*.*", "#.secret.#", "*.to.#", "#.5.#", "#.pw.#")) {
      broker.bind(BindingSpec.queue("orders", "wrong", pattern));
    }
    for (Way way : Way.values()) {
      broker.declare(Topology.of(NAMES, Destination.of("secret", "", way)));
      broker.declare(Topology.of(NAMES, Destination.of("", "secret.box", way)));
    }
    return broker;
  }

  /** Whether its targets are there: a publisher asks. */
  static boolean known(PublishPlan plan) {
    return plan.destinations().stream()
        .allMatch(
            each ->
                each.toQueue()
                    ? QUEUES.contains(each.queue())
                    : EXCHANGES.contains(each.exchange()));
  }

  DelayedMessage next() {
    DelayedMessage message = DelayedMessage.to(exchange(), key()).properties(properties());
    message = message.delay(Duration.ofMillis(random.nextLong(-10, 40L * 86_400_000)));
    if (one(10)) {
      message = message.delay(Duration.ofSeconds(random.nextLong(), random.nextInt(1_000_000_000)));
    } else if (one(10)) {
      message = message.delay(Duration.ofSeconds(1));
    }
    if (one(2)) {
      message = message.strategy(STRATEGIES.get(random.nextInt(STRATEGIES.size())));
    }
    if (one(3)) {
      message = message.body(bytes(300));
    }
    return one(3) ? message.id(text()) : message;
  }

  private String exchange() {
    return one(4) ? text() : EXCHANGES.get(random.nextInt(EXCHANGES.size()));
  }

  private String key() {
    return switch (random.nextInt(6)) {
      case 0 -> "order.timeout";
      case 1 -> "mail.box";
      case 2 -> "copy.one";
      default -> text();
    };
  }

  private BasicProperties properties() {
    BasicProperties.Builder builder = new BasicProperties.Builder();
    if (one(5)) {
      builder.expiration(one(2) ? text() : Integer.toString(random.nextInt(100_000)));
    }
    if (one(5)) {
      builder.messageId(text()).correlationId(text()).type(text());
    }
    if (one(20)) {
      builder.userId(one(2) ? "guest" : text());
    }
    if (one(3)) {
      builder.priority(random.nextInt(256)).deliveryMode(2);
    }
    if (!one(4)) {
      Map<String, Object> headers = new HashMap<>();
      for (int i = random.nextInt(5); i > 0; i--) {
        String name = one(4) ? text() : HEADERS.get(random.nextInt(HEADERS.size()));
        headers.put(name, name.endsWith("CC") && !one(8) ? keys() : value(3));
      }
      builder.headers(headers);
    }
    return builder.build();
  }

  private List<Object> keys() {
    List<Object> keys = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      keys.add(one(3) ? LongStringHelper.asLongString(key()) : key());
    }
    return keys;
  }

  private Object value(int depth) {
    switch (random.nextInt(depth > 0 ? 13 : 10)) {
      case 0:
        return text();
      case 1:
        return random.nextInt();
      case 2:
        return random.nextLong();
      case 3:
        return random.nextDouble();
      case 4:
        return one(2);
      case 5:
        return new Date(random.nextLong());
      case 6:
        return LongStringHelper.asLongString(bytes(50));
      case 7:
        return bytes(50);
      case 8:
        return new BigDecimal(random.nextLong()).scaleByPowerOfTen(-random.nextInt(300));
      case 9:
        return one(30) ? "x".repeat(200_000) : one(10) ? new StringBuilder("no AMQP") : null;
      case 10:
        return keys();
      case 11:
        return List.of(value(depth - 1) instanceof String text ? text : 1, 2L);
      default:
        Map<String, Object> table = new HashMap<>();
        table.put(text(), value(depth - 1));
        return table;
    }
  }

  private String text() {
    if (one(40)) {
      return "x".repeat(random.nextInt(600));
    }
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(5); i > 0; i--) {
      text.append(
          one(8)
              ? Character.toString(random.nextInt(Character.MAX_CODE_POINT + 1))
              : PARTS.get(random.nextInt(PARTS.size())));
    }
    return text.toString();
  }

  private byte[] bytes(int most) {
    byte[] bytes = new byte[random.nextInt(most)];
    random.nextBytes(bytes);
    return bytes;
  }

  private boolean one(int of) {
    return random.nextInt(of) == 0;
  }
}
