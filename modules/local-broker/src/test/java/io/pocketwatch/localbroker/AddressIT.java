// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AddressIT {

  @Test
  void aNamedBrokerIsUsedOrTheReasonGivenAndNothingElseTried() throws Exception {
    LocalBrokerOptions any = LocalBrokerOptions.defaults().withPlugins(List.of());
    LocalBrokerOptions named;
    try (BrokerNode node =
        LocalBroker.find(
            any.withVersion("4.3")
                .withSources(EnumSet.of(BrokerSource.INSTALLED, BrokerSource.PACKAGES)))) {
      named = any.withAddress(node.amqpUri());
      BrokerNode found = LocalBroker.find(named);
      assertThat(found.source()).isEqualTo(BrokerSource.ADDRESS);
      assertThat(found.version()).isEqualTo(node.version());
      assertThat(found.running()).isTrue();
      assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(found::log);
      found.close();
      assertThat(node.running()).isTrue();
      assertThatExceptionOfType(BrokerUnavailableException.class)
          .isThrownBy(() -> LocalBroker.find(named.withVersion("3.10")))
          .withMessageContaining("that is RabbitMQ 4.3.")
          .withMessageContaining("wanted is 3.10");
      whatRefusesIsNotCalledAway(any, node.amqpUri());
    }
    assertThatExceptionOfType(BrokerUnavailableException.class)
        .isThrownBy(() -> LocalBroker.find(named))
        .withMessageContaining("no broker answers there")
        .withMessageNotContaining("guest:guest");
  }

  private static void whatRefusesIsNotCalledAway(LocalBrokerOptions any, URI uri) throws Exception {
    String host = uri.getHost() + ":" + uri.getPort();
    assertThat(refusal(any, "amqp://guest:wrong@" + host))
        .contains("refuses the user 'guest' or its password")
        .doesNotContain("wrong", "Start that broker");
    assertThat(refusal(any, "amqp://" + uri.getRawUserInfo() + "@" + host + "/nope"))
        .contains("refuses the connection", "vhost nope not found")
        .doesNotContain("IOException", "Start that broker");
    assertThat(refusal(any, "amqp://nohost.invalid"))
        .contains("no host has the name 'nohost.invalid'");
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
        assertThat(refusal(any, "amqp://127.0.0.1:" + other.getLocalPort()))
            .contains("does not speak AMQP 0-9-1", "Correct the port")
            .doesNotContain("IOException");
        answer.get(10, TimeUnit.SECONDS);
      }
    }
  }

  private static String refusal(LocalBrokerOptions any, String address) {
    return catchThrowableOfType(
            BrokerUnavailableException.class,
            () -> LocalBroker.find(any.withAddress(URI.create(address))))
        .getMessage();
  }
}
