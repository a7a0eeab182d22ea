// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.Json;
import io.pocketwatch.server.config.ServerSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** Answers {@code /health} and {@code /metrics} over HTTP. */
final class Pages implements AutoCloseable {
  private static final int THREADS = 4;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int NOT_ALLOWED = 405;
  private static final int UNAVAILABLE = 503;
  private static final String TEXT = "text/plain; charset=utf-8";

  private final HttpServer server;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(THREADS, Daemons.named("pocketwatch-http"));

  private Pages(HttpServer server) {
    this.server = server;
  }

  /**
   * @throws CommandFailedException if the address or port is not to be had
   */
  static Pages open(ServerSettings settings, Supplier<Health> health, Supplier<String> metrics) {
    InetSocketAddress address = new InetSocketAddress(settings.address(), settings.port());
    HttpServer server;
    try {
      server = HttpServer.create(address, 0);
    } catch (IOException | IllegalArgumentException e) {
      throw new CommandFailedException(
          ExitCodes.FAILED,
          "cannot listen on %s:%d (pocketwatch.server): %s"
              .formatted(settings.address(), settings.port(), e.getMessage()),
          e);
    }
    Pages pages = new Pages(server);
    server.setExecutor(pages.threads);
    server.createContext("/", exchange -> answer(exchange, pages.page(exchange, health, metrics)));
    server.start();
    return pages;
  }

  /** Where it listens: {@code http://127.0.0.1:8177}. */
  String url() {
    InetSocketAddress address = server.getAddress();
    String host = address.getAddress().getHostAddress();
    return "http://%s:%d"
        .formatted(host.contains(":") ? "[" + host + "]" : host, address.getPort());
  }

  private Page page(HttpExchange exchange, Supplier<Health> health, Supplier<String> metrics) {
    String method = exchange.getRequestMethod();
    if (!method.equals("GET") && !method.equals("HEAD")) {
      return new Page(NOT_ALLOWED, TEXT, "only GET\n");
    }
    return switch (exchange.getRequestURI().getPath()) {
      case "/health" -> {
        Health now = health.get();
        yield new Page(
            now.up() ? OK : UNAVAILABLE, "application/json", Json.line(now.json()) + "\n");
      }
      case "/metrics" -> new Page(OK, "text/plain; version=0.0.4; charset=utf-8", metrics.get());
      default -> new Page(NOT_FOUND, TEXT, "/health and /metrics are here\n");
    };
  }

  private static void answer(HttpExchange exchange, Page page) throws IOException {
    try (exchange) {
      byte[] body = page.body().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", page.type());
      boolean head = exchange.getRequestMethod().equals("HEAD");
      exchange.sendResponseHeaders(page.status(), head ? -1 : body.length);
      if (!head) {
        exchange.getResponseBody().write(body);
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private record Page(int status, String type, String body) {}
}
