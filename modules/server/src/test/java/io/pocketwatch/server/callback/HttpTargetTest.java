// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import io.pocketwatch.server.config.CallbackSettings;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class HttpTargetTest {
  /** Its first record names the protocols that it would speak. */
  @Test
  void a_target_with_tls_is_not_offered_http_2() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      HttpTarget target =
          new HttpTarget(
              new CallbackSettings(
                  "route",
                  "queue",
                  URI.create("https://localhost:" + server.getLocalPort() + "/hook"),
                  Duration.ofSeconds(20),
                  1,
                  1,
                  null),
              Map.of());
      Delivery message =
          new Delivery(new Envelope(1, false, "", "queue"), new BasicProperties(), new byte[0]);
      CompletableFuture<CallResult> call =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return target.call(message, 1);
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });

      String hello;
      try (Socket socket = server.accept()) {
        byte[] header = socket.getInputStream().readNBytes(5);
        int length = (header[3] & 0xff) << 8 | header[4] & 0xff;
        hello = new String(socket.getInputStream().readNBytes(length), ISO_8859_1);
      }

      assertThat(hello).contains("localhost").doesNotContain("\u0002h2");
      assertThat(call.get().problem()).startsWith("no answer: ");
    }
  }
}
