// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.console;

import static io.pocketwatch.server.serve.RunningServer.JSON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.server.serve.BrokerConsole;
import io.pocketwatch.testkit.BrokerExtension;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The console on a broker without a store and without configuration. */
class BrokerConsoleIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();

  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final String QUEUE = "broker-console";

  @BeforeAll
  static void lose_one_and_hold_three() throws Exception {
    try (DelayedPublisher publisher =
        DelayedPublisher.builder(broker.connectionFactory()).build()) {
      try (Connection connection = broker.connectionFactory().newConnection();
          Channel channel = connection.createChannel()) {
        channel.queueDeclare(QUEUE, true, false, false, Map.of());
        for (int i = 0; i < 3; i++) {
          hold(publisher, Duration.ofHours(2));
        }
        hold(publisher, Duration.ofSeconds(3)); // one that was held names its target in its headers
        await().atMost(Duration.ofMinutes(1)).until(() -> channel.messageCount(QUEUE) == 1);
        GetResponse arrived = channel.basicGet(QUEUE, true);
        BasicProperties properties = arrived.getProps();
        channel.basicPublish("pocketwatch.unroutable", QUEUE, properties, arrived.getBody());
      }
    }
  }

  private static void hold(DelayedPublisher publisher, Duration delay) {
    assertThat(
            publisher
                .publish(DelayedMessage.to("", QUEUE).delay(delay).body(new byte[] {1}))
                .join()
                .outcome())
        .isEqualTo(PublishOutcome.CONFIRMED);
  }

  @AfterAll
  static void clean() throws Exception {
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDelete(QUEUE);
    }
  }

  @Test
  void it_shows_what_is_held_and_changes_nothing_unless_asked() throws Exception {
    try (BrokerConsole console = BrokerConsole.start(broker.amqpUri(), false)) {
      JsonNode session = get(console, "session");
      assertThat(session.at("/role").textValue()).isEqualTo("read");
      assertThat(session.at("/store").booleanValue()).isFalse();
      JsonNode holds = get(console, "hold-queues");
      assertThat(holds.at("/held").longValue()).isGreaterThanOrEqualTo(3);
      assertThat(holds.at("/offered/QUEUE_WHEEL").booleanValue()).isTrue();
      assertThat(holds.at("/offered/DELAYED_EXCHANGE").isBoolean()).isTrue();
      assertThat(holds.at("/queues"))
          .allSatisfy(queue -> assertThat(queue.at("/messages").isNumber()).isTrue());
      assertThat(post(console, "unroutable/send").statusCode()).isEqualTo(403);
      assertThat(send(HttpRequest.newBuilder(uri(console, "messages"))).statusCode())
          .isEqualTo(404);
      assertThat(URI.create(console.url()).getHost()).isEqualTo("127.0.0.1");
    }
  }

  @Test
  void the_page_in_both_languages_and_on_a_phone() throws Exception {
    try (Browser browser = Browser.start();
        BrokerConsole console = BrokerConsole.start(broker.amqpUri(), true)) {
      browser.pretendLaptop();
      browser.open(console.url());
      browser.seeText("#live", "Live");
      browser.seeText("#holds", "Set up on this broker");
      browser.seeText("#holds [data-offered=QUEUE_WHEEL]", "set up");
      browser.seeNo("#messages");
      browser.seeNo("#tiles");
      browser.screenshot("broker-console");
      browser.set("#language", "zh");
      browser.seeText("#holds", "此消息代理上已设置的");
      browser.pretendPhone();
      browser.screenshot("broker-console-phone-chinese");
      assertThat(browser.run("return document.documentElement.scrollWidth")).isEqualTo(390L);
      browser.set("#language", "en");

      browser.pretendLaptop();
      browser.click("#unroutable [data-key=send-unroutable]");
      browser.click("#confirm-yes");
      browser.seeText("#unroutable .outcome", "Done: 1 sent to their targets.");
      browser.seeNo("#unroutable [data-key=send-unroutable]");
      // A busy broker may need longer for all its queues than a request waits; the page asks again.
      assertThat(browser.complaints())
          .filteredOn(each -> !(each.contains("/hold-queues") && each.contains("503")))
          .isEmpty();
    }
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      assertThat(Objects.requireNonNull(channel.basicGet(QUEUE, true)).getBody())
          .containsExactly(1);
    }
  }

  private static URI uri(BrokerConsole console, String path) {
    return URI.create(console.url() + "/api/v1/" + path);
  }

  /** Again while the broker needs longer for all its queues than a request is let wait. */
  private static JsonNode get(BrokerConsole console, String path) throws Exception {
    HttpResponse<String> answer =
        await()
            .atMost(Duration.ofMinutes(1))
            .until(
                () -> send(HttpRequest.newBuilder(uri(console, path))),
                each -> each.statusCode() != 503);
    assertThat(answer.statusCode()).as(path).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  private static HttpResponse<String> post(BrokerConsole console, String path) throws Exception {
    return send(HttpRequest.newBuilder(uri(console, path)).POST(BodyPublishers.noBody()));
  }

  private static HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return HTTP.send(request.build(), BodyHandlers.ofString());
  }
}
