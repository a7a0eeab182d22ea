// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.testkit.BrokerExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Targets that were gone when messages for them came due, and are made again one by one. */
class UnroutableIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  private static final String ORDERS = "unroutable-it.orders";
  private static final String MAIL = "unroutable-it.mail";
  private static final String QUEUE = "unroutable-it.unroutable";

  @TempDir private Path folder;

  @Test
  void what_waits_is_sent_to_its_target_once_that_is_there_again() throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("pocketwatch.yml"),
            """
            pocketwatch:
              name-prefix: unroutable-it
              wheel: {max-delay: 90s, hands: [10s, 1s, 100ms, 10ms]}
            """);
    try (Connection connection = BROKER.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      declareOrders(channel);
      channel.queueDeclare(MAIL, true, false, false, Map.of());
      hold(config);
      channel.exchangeDelete(ORDERS);
      channel.queueDelete(ORDERS);
      channel.queueDelete(MAIL);
      await().atMost(Duration.ofSeconds(40)).until(() -> channel.messageCount(QUEUE) == 23);

      CommandRun count = unroutable(config);
      assertThat(count.exitCode()).isEqualTo(1);
      assertThat(count.out()).hasSize(25).last().isEqualTo("23 messages in queue '" + QUEUE + "'");
      assertThat(count.out())
          .anyMatch(
              line -> line.contains(ORDERS + " / order.timeout  1         there is no exchange"))
          .anyMatch(line -> line.contains("there is no queue '" + MAIL + "'"));
      assertThat(unroutable(config, "--json").out())
          .singleElement()
          .asString()
          .contains("\"count\":23", "\"id\":\"order-0\"", "\"bodyText\":\"body 0\"");

      CommandRun nobody = unroutable(config, "--send");
      assertThat(nobody.exitCode()).isEqualTo(1);
      assertThat(nobody.out()).containsExactly("0 messages sent to their targets");
      assertThat(nobody.err())
          .anyMatch(line -> line.contains("20 messages left: NOT_FOUND - no exchange '" + ORDERS))
          .anyMatch(line -> line.contains("3 messages left: there is no queue '" + MAIL));

      declareOrders(channel);
      CommandRun some = unroutable(config, "--send");
      assertThat(some.exitCode()).isEqualTo(1);
      assertThat(some.out()).containsExactly("20 messages sent to their targets");
      assertUnchanged(take(channel, ORDERS));
      assertThat(channel.messageCount(QUEUE)).isEqualTo(3);

      channel.queueDeclare(MAIL, true, false, false, Map.of());
      CommandRun rest = unroutable(config, "--send");
      assertThat(rest.exitCode()).as("%s", rest).isZero();
      assertThat(rest.out()).containsExactly("3 messages sent to their targets");
      assertThat(channel.messageCount(MAIL)).isEqualTo(3);
      assertThat(unroutable(config).exitCode()).isZero();
    }
  }

  private static void declareOrders(Channel channel) throws Exception {
    channel.exchangeDeclare(ORDERS, BuiltinExchangeType.DIRECT, true);
    channel.queueDeclare(ORDERS, true, false, false, Map.of());
    channel.queueBind(ORDERS, ORDERS, "order.timeout");
  }

  /** The targets are gone by then, on a slow machine too. */
  private static final Duration DELAY = Duration.ofSeconds(5);

  private static void hold(Path config) throws Exception {
    try (DelayedPublisher publisher =
        DelayedPublisher.builder(BROKER.connectionFactory())
            .routes(DelayRoutes.load(config))
            .build()) {
      List<CompletableFuture<PublishReceipt>> receipts = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        receipts.add(
            publisher.publish(
                DelayedMessage.to(ORDERS, "order.timeout")
                    .id("order-" + i)
                    .header("customer", i)
                    .body("body " + i)
                    .delay(DELAY)));
      }
      for (int i = 0; i < 3; i++) {
        receipts.add(publisher.publish(DelayedMessage.toQueue(MAIL).delay(DELAY)));
      }
      assertThat(receipts).allMatch(receipt -> receipt.join().confirmed());
    }
  }

  private static List<GetResponse> take(Channel channel, String queue) throws Exception {
    List<GetResponse> taken = new ArrayList<>();
    for (GetResponse next = channel.basicGet(queue, true);
        next != null;
        next = channel.basicGet(queue, true)) {
      taken.add(next);
    }
    return taken;
  }

  private static void assertUnchanged(List<GetResponse> taken) {
    assertThat(taken).hasSize(20);
    assertThat(taken).extracting(UnroutableIT::id).doesNotHaveDuplicates();
    for (GetResponse message : taken) {
      int number = Integer.parseInt(id(message).substring("order-".length()));
      assertThat(new String(message.getBody())).isEqualTo("body " + number);
      assertThat(message.getEnvelope().getExchange()).isEqualTo(ORDERS);
      assertThat(message.getEnvelope().getRoutingKey()).isEqualTo("order.timeout");
      assertThat(message.getProps().getHeaders())
          .containsEntry("customer", number)
          .doesNotContainKeys("x-death", "x-first-death-queue", "x-last-death-queue");
    }
  }

  private static String id(GetResponse message) {
    return message.getProps().getMessageId();
  }

  private CommandRun unroutable(Path config, String... more) {
    String[] line = {"unroutable", "--config=" + config, "--broker=" + BROKER.amqpUri()};
    return CommandRun.of(Stream.of(line, more).flatMap(Stream::of).toArray(String[]::new));
  }
}
