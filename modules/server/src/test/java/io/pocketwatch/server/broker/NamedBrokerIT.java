// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.rabbitmq.client.Connection;
import io.pocketwatch.localbroker.NetworkProxy;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.testkit.BrokerExtension;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class NamedBrokerIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();

  @Test
  void the_one_that_is_named_is_asked_for_its_version() throws Exception {
    NamedBroker found = NamedBroker.require(BrokerAddresses.parse(address()), line -> {});

    assertThat(found.version()).isEqualTo(version(found));
    assertThat(found.toString()).startsWith("RabbitMQ ").doesNotContain(":guest@");
  }

  @Test
  void what_refuses_is_not_called_away() throws Exception {
    URI uri = broker.amqpUri();
    String host = uri.getHost() + ":" + uri.getPort();
    assertThat(refusal("amqp://guest:wrong@" + host))
        .contains("refuses the user 'guest' or its password")
        .doesNotContain("wrong", "Start that broker");
    assertThat(refusal("amqp://" + uri.getRawUserInfo() + "@" + host + "/nope"))
        .contains("refuses the connection", "vhost nope not found")
        .doesNotContain("IOException", "Start that broker");
    assertThat(refusal("amqp://nohost.invalid")).contains("no host has the name 'nohost.invalid'");
    for (String greeting : List.of("", "HTTP/1.1 400 Bad Request\r\n\r\n")) {
      try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        CompletableFuture<Void> answer =
            CompletableFuture.runAsync(
                () -> {
                  try (Socket socket = other.accept()) {
                    socket.getInputStream().readNBytes(8);
                    socket.getOutputStream().write(greeting.getBytes(StandardCharsets.US_ASCII));
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
        assertThat(refusal("amqp://127.0.0.1:" + other.getLocalPort()))
            .contains("does not speak AMQP 0-9-1", "Correct the port")
            .doesNotContain("IOException");
        answer.get(10, TimeUnit.SECONDS);
      }
    }
  }

  @Test
  void where_nobody_listens_no_broker_answers() {
    assertThat(refusal("amqp://guest:guest@127.0.0.1:1"))
        .contains("no broker answers there")
        .doesNotContain("guest:guest");
  }

  /** Consumers wait for what comes, so nothing else would tell them. */
  @Tag("ci")
  @Test
  void connections_that_a_load_balancer_has_forgotten_end() throws Exception {
    URI uri = broker.amqpUri();
    List<Connection> connections = new ArrayList<>();
    try (NetworkProxy proxy = NetworkProxy.to(uri)) {
      for (String heartbeat : List.of("", "?heartbeat=0", "?heartbeat=60")) {
        String through =
            "amqp://%s@%s:%s%s%s"
                .formatted(
                    uri.getRawUserInfo(), proxy.host(), proxy.port(), uri.getRawPath(), heartbeat);
        NamedBroker named = new NamedBroker(URI.create(through), "", List.of(), Optional.empty());
        connections.add(named.connect("test"));
        connections.add(named.connectTolerantly("test"));
      }
      proxy.forget();

      Awaitility.await()
          .atMost(Duration.ofSeconds(35))
          .until(() -> connections.stream().noneMatch(Connection::isOpen));
    }
  }

  private static String address() {
    return broker.amqpUri().toString();
  }

  private static String version(NamedBroker found) throws Exception {
    try (var connection = found.connect("test")) {
      return String.valueOf(connection.getServerProperties().get("version"));
    }
  }

  private static String refusal(String address) {
    CommandFailedException failed =
        catchThrowableOfType(
            CommandFailedException.class,
            () -> NamedBroker.require(BrokerAddresses.parse(address), line -> {}));
    assertThat(failed.exitCode()).isEqualTo(ExitCodes.NO_BROKER);
    return failed.getMessage();
  }
}
