// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.broker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Reads from the management API what AMQP does not tell. */
public final class ManagementClient {
  private static final int PORT = 15_672;
  private static final int TLS_PORT = 15_671;
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final String base;
  private final String user;
  private final String password;
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(CONNECT).build();

  /** Uses the user in the address, else the broker's. */
  public ManagementClient(URI address, ConnectionFactory broker) {
    String path = address.getRawPath() == null ? "" : address.getRawPath().replaceAll("/+$", "");
    String port = address.getPort() < 0 ? "" : ":" + address.getPort();
    this.base = address.getScheme() + "://" + address.getHost() + port + path;
    String info = address.getRawUserInfo();
    if (info == null) {
      this.user = broker.getUsername();
      this.password = broker.getPassword();
    } else {
      int colon = info.indexOf(':');
      this.user = decoded(colon < 0 ? info : info.substring(0, colon));
      this.password = colon < 0 ? "" : decoded(info.substring(colon + 1));
    }
  }

  /** The usual address for a broker, by its default ports. */
  public static URI usual(ConnectionFactory broker) {
    String host = broker.getHost();
    String literal = host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
    return URI.create(
        broker.isSSL() ? "https://" + literal + ":" + TLS_PORT : "http://" + literal + ":" + PORT);
  }

  /** An exchange; empty if there is none of this name. */
  public Optional<Exchange> exchange(String virtualHost, String name) {
    String path = "/api/exchanges/" + encoded(virtualHost) + "/" + encoded(name);
    return get(path)
        .map(
            found ->
                new Exchange(
                    found,
                    required(path + "/bindings/source"),
                    required(path + "/bindings/destination")));
  }

  /**
   * An exchange.
   *
   * @param description its type and arguments, an object
   * @param outgoing bindings that begin at it
   * @param incoming bindings that end at it
   */
  public record Exchange(JsonNode description, JsonNode outgoing, JsonNode incoming) {}

  /** The names of all queues of a virtual host. */
  public List<FoundQueue> queues(String virtualHost) {
    List<FoundQueue> found = new ArrayList<>();
    required("/api/queues/" + encoded(virtualHost) + "?columns=name,effective_policy_definition")
        .forEach(
            each ->
                found.add(
                    new FoundQueue(
                        each.path("name").asText(), each.path("effective_policy_definition"))));
    return found;
  }

  /**
   * A queue.
   *
   * @param policy the merged policy and operator policy, an object; empty without any
   */
  public record FoundQueue(String name, JsonNode policy) {}

  /** Whether the broker has an exchange type. */
  public boolean hasExchangeType(String type) {
    return overview("exchange_types").anyMatch(each -> type.equals(each.path("name").asText()));
  }

  /** Whether it is known that there is one node only: users with little rights are not told. */
  public boolean hasOneNode() {
    return overview("listeners").map(each -> each.path("node").asText()).distinct().count() == 1;
  }

  private Stream<JsonNode> overview(String list) {
    return StreamSupport.stream(required("/api/overview").path(list).spliterator(), false);
  }

  private JsonNode required(String path) {
    return get(path)
        .orElseThrow(
            () ->
                new CommandFailedException(
                    ExitCodes.FAILED, "--management %s has no %s".formatted(base, path)));
  }

  /** Empty if there is no such thing. */
  private Optional<JsonNode> get(String path) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(LIMIT)
            .header("Authorization", "Basic " + credentials())
            .GET()
            .build();
    try {
      HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
      return switch (response.statusCode()) {
        case 200 -> Optional.of(MAPPER.readTree(response.body()));
        case 404 -> Optional.empty();
        case 401, 403 ->
            throw new CommandFailedException(
                ExitCodes.FAILED,
                "--management %s refuses user '%s': it needs the tag 'management' and rights in the"
                        .formatted(base, user)
                    + " virtual host; give another as http://user:password@host:port");
        default ->
            throw new CommandFailedException(
                ExitCodes.FAILED,
                "--management %s answered %s to GET %s"
                    .formatted(base, response.statusCode(), path));
      };
    } catch (IOException e) {
      throw new CommandFailedException(
          ExitCodes.NO_BROKER,
          ("--management %s does not answer as a management API does (%s). What it knows can be"
                  + " read nowhere else: switch rabbitmq_management on, or give --management URI")
              .formatted(base, e.getClass().getSimpleName()),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailedException(ExitCodes.FAILED, "interrupted", e);
    }
  }

  private String credentials() {
    return Base64.getEncoder()
        .encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
