// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.testkit.Arrival;
import io.pocketwatch.testkit.Arrivals;
import io.pocketwatch.testkit.BrokerExtension;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The examples of {@code wire-format.md} on a real broker, as they are. */
abstract class WireTests {
  private static final String KEY = "order.timeout";
  private static final int TTL = 700;

  /** Due already; less than a position; with a zero in the middle; two digits; a TTL queue's. */
  private static final List<Integer> DELAYS = List.of(0, 1, 95, 1_000, 1_010, 2_345, TTL);

  abstract BrokerExtension broker();

  /** What a plain client does not do itself. */
  static void declare(BrokerExtension broker) {
    DelayRoute route = DelayRoute.defaults().toBuilder().delays(Duration.ofMillis(TTL)).build();
    DelayedPublisher.builder(broker.connectionFactory())
        .routes(DelayRoutes.builder().defaults(route).build())
        .build()
        .close();
  }

  @ParameterizedTest
  @EnumSource
  void the_command_of_the_page_holds_its_message(Language language) throws Exception {
    try (Connection connection = broker().connectionFactory().newConnection()) {
      String exchange = target(connection, language + ".orders", KEY);
      Arrivals arrivals = Arrivals.at(connection, exchange);
      Instant before = Instant.now();

      Program program =
          language.run(uri("guest", "guest"), exchange, KEY, "1500", "{\"order\": 1}");

      assertThat(program.ok()).as(program.errors()).isTrue();
      Arrival arrival = arrivals.awaitExactly(1).get(0);
      assertThat(arrival.at()).isAfterOrEqualTo(before.plusMillis(1_500));
      assertThat(arrival.id()).isEqualTo(program.output().strip());
      assertThat(arrival.text()).isEqualTo("{\"order\": 1}");
      assertThat(arrival.delayed().exchange()).isEqualTo(exchange);
      assertThat(arrival.delivery().getEnvelope().getExchange()).isEqualTo("pocketwatch.release");
      assertThat(arrival.delivery().getEnvelope().getRoutingKey()).isEqualTo(KEY);
    }
  }

  /** Also a queue of the default exchange, and of a user who may only write, and bind. */
  @ParameterizedTest
  @EnumSource
  void each_arrives_once_never_early_and_as_it_was(Language language) throws Exception {
    String user = "wire-" + language;
    broker().node().ctl("add_user", user, "secret-word");
    broker()
        .node()
        .ctl(
            "set_permissions",
            "-p",
            broker().virtualHost(),
            user,
            "^$",
            "^(pocketwatch\\.|" + language + "\\.|amq\\.default$)",
            "^pocketwatch\\.(deliver|queues)$");
    try (Connection connection = broker().connectionFactory().newConnection()) {
      String exchange = target(connection, language + ".all", KEY);
      String queue = language + ".mail";
      queue(connection, queue, Map.of());

      for (String to : List.of(exchange, "")) {
        String key = to.isEmpty() ? queue : KEY;
        Arrivals arrivals = Arrivals.at(connection, to.isEmpty() ? queue : exchange);
        Program program =
            language.drive(
                "", "send", uri(user, "secret-word"), to, key, DELAYS.toString(), "[" + TTL + "]");

        assertThat(program.ok()).as(program.errors()).isTrue();
        List<Arrival> arrived = arrivals.awaitExactly(DELAYS.size());
        assertThat(program.lines())
            .isEqualTo(DELAYS.stream().map(delay -> key + "-" + delay).toList());
        assertThat(arrived)
            .extracting(Arrival::id)
            .containsExactlyInAnyOrderElementsOf(program.lines());
        Arrival undelayed = arrived.get(0);
        assertThat(undelayed.delayed().strategy()).isEqualTo(DelayStrategy.IMMEDIATE);
        assertThat(arrived)
            .allSatisfy(
                each -> {
                  assertThat(each.lateness()).isGreaterThanOrEqualTo(Duration.ZERO);
                  assertThat(each.delivery().getEnvelope().getRoutingKey()).isEqualTo(key);
                  assertThat(each.delayed().exchange()).isEqualTo(to);
                  assertThat(as(each)).isEqualTo(as(undelayed)).hasSizeGreaterThan(10);
                });
        assertThat(arrived)
            .filteredOn(each -> each.text().replace(" ", "").equals("{\"delay\":" + TTL + "}"))
            .extracting(each -> each.delayed().strategy())
            .containsExactly(DelayStrategy.TTL_QUEUE);
        arrivals.close();
      }
    } finally {
      broker().node().ctl("delete_user", user);
    }
  }

  @ParameterizedTest
  @EnumSource
  void what_no_queue_holds_is_returned(Language language) throws Exception {
    try (Connection connection = broker().connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      String exchange = target(connection, language + ".returned", KEY);
      String hand = "pocketwatch.wheel.quorum.10ms";
      channel.queueUnbind(hand + ".7", hand, "pw-10ms-7");
      Program program = language.run(uri("guest", "guest"), exchange, KEY, "70", "lost?");
      channel.queueBind(hand + ".7", hand, "pw-10ms-7");

      assertThat(program.ok()).isFalse();
      assertThat(program.errors()).containsPattern("(?i)unroutable|returned");
      assertThat(program.output()).isEmpty();
      assertThat(channel.messageCount(exchange)).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void what_the_broker_refuses_is_not_held(Language language) throws Exception {
    try (Connection connection = broker().connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      String full = language + ".full";
      queue(connection, full, Map.of("x-max-length", 1, "x-overflow", "reject-publish"));

      Program first = language.run(uri("guest", "guest"), "", full, "0", "taken");
      Program second = language.run(uri("guest", "guest"), "", full, "0", "refused");

      assertThat(first.ok()).as(first.errors()).isTrue();
      assertThat(second.ok()).isFalse();
      assertThat(second.errors()).containsIgnoringCase("nack");
      assertThat(channel.messageCount(full)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_target_that_is_not_there_and_a_delay_that_is_too_long_are_errors(Language language)
      throws Exception {
    Program unknown = language.run(uri("guest", "guest"), "nowhere", KEY, "1000", "");
    assertThat(unknown.ok()).isFalse();
    assertThat(unknown.errors()).contains("404").contains("nowhere");

    Duration tooLong = Duration.ofDays(31).plusMillis(1);
    Program long31 =
        language.run(uri("guest", "guest"), "amq.topic", KEY, "" + tooLong.toMillis(), "");
    assertThat(long31.ok()).isFalse();
    assertThat(long31.errors()).contains("the longest is " + Duration.ofDays(31).toMillis());
  }

  private String uri(String user, String password) {
    URI uri = broker().amqpUri();
    return "amqp://%s:%s@%s:%s%s"
        .formatted(user, password, uri.getHost(), uri.getPort(), uri.getPath());
  }

  private static String target(Connection connection, String name, String key) throws Exception {
    queue(connection, name, Map.of());
    try (Channel channel = connection.createChannel()) {
      channel.exchangeDeclare(name, "topic", true);
      channel.queueBind(name, name, key);
    }
    return name;
  }

  private static void queue(Connection connection, String name, Map<String, Object> arguments)
      throws Exception {
    try (Channel channel = connection.createChannel()) {
      channel.queueDeclare(name, true, false, false, arguments);
    }
  }

  /** What a consumer sees, but for the headers of ours and of dead-lettering. */
  private static Map<String, String> as(Arrival arrival) {
    var properties = arrival.properties();
    Map<String, String> seen = new TreeMap<>();
    seen.put("content-type", properties.getContentType());
    seen.put("content-encoding", properties.getContentEncoding());
    seen.put("delivery-mode", String.valueOf(properties.getDeliveryMode()));
    seen.put("priority", String.valueOf(properties.getPriority()));
    seen.put("correlation-id", properties.getCorrelationId());
    seen.put("reply-to", properties.getReplyTo());
    seen.put("expiration", String.valueOf(properties.getExpiration()));
    seen.put("message-id is ours", "" + arrival.id().equals(properties.getMessageId()));
    seen.put("timestamp", String.valueOf(properties.getTimestamp()));
    seen.put("type", properties.getType());
    seen.put("user-id", String.valueOf(properties.getUserId()));
    seen.put("app-id", properties.getAppId());
    arrival.headers().entrySet().stream()
        .filter(header -> !header.getKey().matches("pocketwatch-.*|x-(first-|last-)?death.*"))
        .forEach(header -> seen.put("header " + header.getKey(), "" + header.getValue()));
    return seen;
  }
}
