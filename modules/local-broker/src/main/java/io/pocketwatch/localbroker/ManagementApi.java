// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;

/** The few calls of the management API that tests need; each is far faster than rabbitmqctl. */
final class ManagementApi {

  /** The distance of the default ports, 5672 and 15672. */
  private static final int ABOVE_AMQP = 10_000;

  private static final Duration CONNECT = Duration.ofSeconds(3);
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final URI base;
  private final String user;
  private final String password;

  /** RabbitMQ 4.3 ends a connection whose first request has a body and offers HTTP/2. */
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT).build();

  private ManagementApi(URI base, String user, String password) {
    this.base = base;
    this.user = user;
    this.password = password;
  }

  /** The node's API; of a broker at an address it is not known, so the usual port is asked. */
  static Optional<ManagementApi> of(BrokerNode node) {
    ConnectionFactory amqp = node.connectionFactory();
    URI usual = URI.create("http://" + amqp.getHost() + ":" + (amqp.getPort() + ABOVE_AMQP) + "/");
    Optional<URI> uri =
        node.managementUri()
            .or(() -> Optional.of(usual).filter(any -> node.source() == BrokerSource.ADDRESS));
    return uri.map(found -> new ManagementApi(found, amqp.getUsername(), amqp.getPassword()));
  }

  /** Makes a virtual host, with all permissions for the user; false if the API does not answer. */
  boolean createVirtualHost(String name) {
    return send("PUT", "api/vhosts/" + encoded(name), "{}").isPresent()
        && send(
                "PUT",
                "api/permissions/" + encoded(name) + "/" + encoded(user),
                "{\"configure\":\".*\",\"write\":\".*\",\"read\":\".*\"}")
            .isPresent();
  }

  /** The names and arguments of its queues, as JSON; empty if the API does not answer. */
  Optional<String> queues(String virtualHost) {
    return send("GET", "api/queues/" + encoded(virtualHost) + "?columns=name,arguments", "");
  }

  /** Deletes a virtual host with its contents; false if the API does not answer. */
  boolean deleteVirtualHost(String name) {
    return send("DELETE", "api/vhosts/" + encoded(name), "").isPresent();
  }

  /** The answer's body; empty if there is no answer. */
  private Optional<String> send(String method, String path, String body) {
    String credentials =
        Base64.getEncoder()
            .encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    URI target = URI.create("http://" + base.getHost() + ":" + base.getPort() + "/" + path);
    HttpRequest request =
        HttpRequest.newBuilder(target)
            .timeout(LIMIT)
            .header("Authorization", "Basic " + credentials)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
      if (response.statusCode() / 100 != 2) {
        throw new IllegalStateException(
            "%s %s answered %s: %s"
                .formatted(method, target, response.statusCode(), response.body()));
      }
      return Optional.of(response.body());
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted during " + method + " " + target, e);
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
