// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.sample.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The application in a process of its own, always on the same port. */
final class ShopProcess implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(90);

  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
  private final int port;
  private final List<String> command;
  private final Path log;
  private Process process;

  /**
   * Starts it.
   *
   * @param folder where it runs, and writes its log
   * @param properties in place of those of {@code application.yml}
   */
  ShopProcess(Path folder, URI broker, String... properties) throws IOException {
    port = freePort();
    log = folder.resolve("shop.log");
    command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(OrderShop.class.getName());
    command.add("--server.port=" + port);
    command.add("--spring.rabbitmq.addresses=" + broker);
    command.add("--spring.main.banner-mode=off");
    // 36 queues instead of 271: quicker to declare on a small machine
    command.add("--pocketwatch.wheel.max-delay=90s");
    for (String hand : List.of("0:10s", "1:1s", "2:100ms", "3:10ms")) {
      command.add("--pocketwatch.wheel.hands[%s]=%s".formatted((Object[]) hand.split(":")));
    }
    for (String property : properties) {
      command.add("--" + property);
    }
    start();
  }

  void start() throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("POCKETWATCH_ROUTES_ORDERREMINDER_ROUTING_KEY", "order.reminder");
    builder.environment().put("POCKETWATCH_ROUTES_ORDERREMINDER_EXCHANGE", "shop");
    process =
        builder
            .directory(log.getParent().toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    await()
        .atMost(START)
        .ignoreExceptions()
        .failFast("it ended, see " + log, () -> !process.isAlive())
        .until(() -> get("/actuator/health").statusCode() == 200);
  }

  /** SIGKILL: no shutdown hook runs, no connection is closed. */
  void kill() throws InterruptedException {
    assertThat(process.destroyForcibly().waitFor()).isEqualTo(128 + 9);
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return http.send(request(path).GET().build(), BodyHandlers.ofString());
  }

  HttpResponse<String> post(String path, String json) throws IOException, InterruptedException {
    HttpRequest request =
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json))
            .build();
    return http.send(request, BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .timeout(Duration.ofSeconds(30));
  }

  /** Outside of the range for outgoing connections, which could take it while the shop is dead. */
  private static int freePort() throws IOException {
    for (int candidate = 25_500; candidate < 26_000; candidate++) {
      try (ServerSocket socket = new ServerSocket(candidate)) {
        return socket.getLocalPort();
      } catch (IOException e) {
        // taken
      }
    }
    throw new IOException("no free port from 25500 to 25999");
  }

  /** In good order, so that the broker sees the connections closed. */
  @Override
  public void close() {
    process.destroy();
    process.onExit().orTimeout(30, TimeUnit.SECONDS).join();
  }
}
