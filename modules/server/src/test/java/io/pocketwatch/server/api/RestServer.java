// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;

/** A server without credentials, with the routes these tests need. */
final class RestServer {
  static final String ROUTES =
      """
      routes:
        orders: {routing-key: orders, tracking: full}
        mail: {routing-key: mail, tracking: handoff, handoff-before: 1s}
        plain: {routing-key: plain}
        events: {exchange: amq.topic}
      wheel: {max-delay: 2h, resolution: 1s, hands: [10m, 1m, 10s, 1s]}
      loader: {every: 1h, lead: 1h, sweep: 200ms}
      """;

  private RestServer() {}

  static void declareQueues(BrokerExtension broker) throws Exception {
    try (Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      for (String queue : new String[] {"orders", "mail", "plain"}) {
        channel.queueDeclare(queue, true, false, false, Map.of());
      }
    }
  }

  static RunningServer start(
      Path folder, TestDatabase database, BrokerExtension broker, String serverSection)
      throws Exception {
    declareQueues(broker);
    return RunningServer.start(
        folder, ROUTES + serverSection, database.url(), broker.amqpUri(), Map.of());
  }

  /** The problem's name, after its status and media type were looked at. */
  static String problem(HttpResponse<String> answer, int status) throws IOException {
    JsonNode problem = RunningServer.json(answer, status);
    String type = answer.headers().firstValue("Content-Type").orElse("");
    if (!type.equals("application/problem+json")
        || problem.at("/status").intValue() != status
        || problem.at("/detail").asText().isBlank()
        || answer.body().contains("Exception")
        || answer.body().contains("\\tat ")) {
      throw new AssertionError(type + " " + answer.body());
    }
    return problem.at("/type").textValue().replaceFirst(".*#", "");
  }
}
