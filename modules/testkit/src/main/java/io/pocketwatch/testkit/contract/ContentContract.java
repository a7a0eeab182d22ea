// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.testkit.Arrival;
import io.pocketwatch.testkit.Targets;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * What arrives: properties and body. They are compared with an undelayed message sent to the same
 * queues in the same test, because brokers change some types on any path. A quorum queue from
 * RabbitMQ 4.0 on keeps messages in an encoding of its own.
 */
interface ContentContract extends StrategyContract {
  byte[] BODY = {1, 2, 3};

  private BasicProperties.Builder allProperties() {
    return new BasicProperties.Builder()
        .contentType("application/json")
        .contentEncoding("gzip")
        .headers(Map.of("tenant", "acme"))
        .deliveryMode(2)
        .priority(7)
        .correlationId("correlation-1")
        .replyTo("replies")
        .messageId("message-1")
        .timestamp(Date.from(Instant.ofEpochSecond(1_700_000_000)))
        .type("order.timeout.v1")
        .userId(setup().userName())
        .appId("shop")
        .clusterId("cluster-1");
  }

  @PerStrategy
  default void everyBasicPropertyArrivesAsSet(DelayStrategy strategy) throws Exception {
    BasicProperties properties = allProperties().build();
    assertThat(Properties.withoutHeaders(properties).entrySet())
        .as("what the test leaves unset")
        .filteredOn(property -> property.getValue() == null)
        .extracting(Map.Entry::getKey)
        .containsExactly("expiration");
    try (Targets targets = targets()) {
      requireSameAsUndelayed(targets, strategy, properties);
    }
  }

  @PerStrategy
  default void theDeliveryModeIsKept(DelayStrategy strategy) throws Exception {
    for (Integer mode : new Integer[] {1, 2, null}) {
      try (Targets targets = targets()) {
        BasicProperties properties =
            new BasicProperties.Builder().messageId("m").deliveryMode(mode).build();
        requireSameAsUndelayed(targets, strategy, properties);
      }
    }
  }

  @PerStrategy
  default void headersOfEveryTypeArriveAsSet(DelayStrategy strategy) throws Exception {
    Map<String, @Nullable Object> headers = new HashMap<>(oneOfEachType());
    Map<String, @Nullable Object> nested = new HashMap<>(oneOfEachType());
    nested.put("deeper", Map.of("list", List.of(oneOfEachType(), List.of())));
    headers.put("table", nested);
    headers.put("list", new ArrayList<>(oneOfEachType().values()));
    headers.put("empty table", Map.of());
    headers.put("empty list", List.of());
    headers.put("", "an empty name");
    headers.put("naïve name", "grüße €");
    try (Targets targets = targets()) {
      requireSameAsUndelayed(
          targets,
          strategy,
          new BasicProperties.Builder().messageId("m").deliveryMode(2).headers(headers).build());
    }
  }

  private static Map<String, @Nullable Object> oneOfEachType() {
    Map<String, @Nullable Object> headers = new HashMap<>();
    headers.put("byte", (byte) -8);
    headers.put("short", (short) -1_600);
    headers.put("int", -320_000);
    headers.put("long", -64_000_000_000L);
    headers.put("float", 1.5f);
    headers.put("double", 2.25d);
    headers.put("decimal", new BigDecimal("12345.67"));
    headers.put("boolean", true);
    headers.put("string", "text");
    headers.put("empty string", "");
    headers.put("bytes", new byte[] {0, -1, 127});
    headers.put("date", Date.from(Instant.ofEpochSecond(1_600_000_000)));
    headers.put("null", null);
    return headers;
  }

  private void requireSameAsUndelayed(
      Targets targets, DelayStrategy strategy, BasicProperties properties) throws Exception {
    Target target = Target.of(targets, BuiltinExchangeType.DIRECT, KEY);
    Map<String, Arrival> undelayed = target.control(setup(), KEY, properties, BODY);
    for (Arrival arrival :
        deliver(target, message(target, strategy).properties(properties).body(BODY))) {
      Arrival control = Objects.requireNonNull(undelayed.get(arrival.queue()));
      assertThat(Properties.withoutHeaders(arrival.properties()))
          .as("properties at %s", arrival.queue())
          .isEqualTo(Properties.withoutHeaders(control.properties()));
      assertThat(Properties.userHeaders(arrival))
          .as("headers at %s", arrival.queue())
          .isEqualTo(Properties.userHeaders(control));
      assertThat(arrival.delivery().getEnvelope().getRoutingKey()).isEqualTo(KEY);
      assertThat(arrival.body()).isEqualTo(BODY);
    }
  }

  @PerStrategy
  default void aMessageWithoutAMessageIdGetsOurs(DelayStrategy strategy) throws Exception {
    try (Targets targets = targets()) {
      Target target = Target.of(targets, BuiltinExchangeType.DIRECT, KEY);
      assertThat(deliver(target, message(target, strategy)))
          .allMatch(arrival -> arrival.id().equals(arrival.properties().getMessageId()));
    }
  }

  @PerStrategy
  default void emptyAndLargeBodiesArriveUnchanged(DelayStrategy strategy) throws Exception {
    byte[] large = new byte[1 << 20];
    new Random(1).nextBytes(large);
    try (Targets targets = targets()) {
      Target target = Target.of(targets, BuiltinExchangeType.DIRECT, KEY);
      DelayedMessage message = message(target, strategy);
      List<Arrival> arrivals =
          target.awaitOnce(
              setup()
                  .publish(
                      message.id("empty-" + strategy).body(new byte[0]),
                      message.id("large-" + strategy).body(large)));
      for (Arrival arrival : arrivals) {
        byte[] sent = arrival.id().startsWith("empty") ? new byte[0] : large;
        assertThat(Arrays.equals(arrival.body(), sent)).as("%s is as sent", arrival).isTrue();
      }
    }
  }

  @PerStrategy
  default void anExpirationIsRefusedUnlessTheRouteDropsIt(DelayStrategy strategy) throws Exception {
    BasicProperties properties = allProperties().expiration("60000").build();
    try (Targets targets = targets()) {
      Target target = Target.of(targets, BuiltinExchangeType.DIRECT, KEY);
      DelayedMessage message = message(target, strategy).properties(properties);
      assertThatThrownBy(() -> setup().publish(message))
          .hasRootCauseInstanceOf(InvalidMessageException.class)
          .hasMessageContaining("expiration of 60000 ms");
      assertThat(deliver(target, message.route(ContractSetup.DROP_EXPIRATION_ROUTE)))
          .extracting(arrival -> arrival.properties().getExpiration())
          .containsOnlyNulls();
    }
  }
}
