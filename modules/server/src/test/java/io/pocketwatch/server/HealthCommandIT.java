// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The verb against a page that answers as 'serve' does; the real one is asked in the stack's test.
 */
class HealthCommandIT {
  @TempDir private Path folder;

  private HttpServer page;
  private int status = 200;

  @BeforeEach
  void open() throws IOException {
    page = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    page.createContext(
        "/health",
        exchange -> {
          try (exchange) {
            byte[] body =
                (status == 200 ? "{\"status\":\"UP\"}\n" : "{}\n").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
          }
        });
    page.start();
  }

  @AfterEach
  void close() {
    page.stop(0);
  }

  @Test
  void up_is_0() {
    CommandRun run = ask();

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).containsExactly("{\"status\":\"UP\"}");
  }

  @Test
  void down_is_1_and_says_why() {
    status = 503;

    CommandRun run = ask();

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).containsExactly("{}");
  }

  @Test
  void nobody_is_1() {
    page.stop(0);

    CommandRun run = ask();

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).singleElement().asString().contains("nobody answers at http://127.0.0.1");
  }

  @Test
  void the_page_is_the_one_of_the_configuration() throws IOException {
    Path config =
        Files.writeString(
            folder.resolve("pocketwatch.yml"),
            "pocketwatch: {server: {address: 0.0.0.0, port: %s, api: false}}"
                .formatted(page.getAddress().getPort()));

    assertThat(CommandRun.of("health", "--config", config.toString()).exitCode()).isZero();
  }

  private CommandRun ask() {
    return CommandRun.of(
        "health", "--url", "http://127.0.0.1:%s/health".formatted(page.getAddress().getPort()));
  }
}
