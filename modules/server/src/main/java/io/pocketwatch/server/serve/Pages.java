// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.javalin.Javalin;
import io.javalin.util.JavalinBindException;
import io.javalin.util.JavalinException;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.server.config.ServerSettings;
import io.pocketwatch.server.http.ConnectionLimit;
import io.pocketwatch.server.http.HttpPart;
import io.pocketwatch.server.http.ProblemOfFailure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP server: {@code /health}, {@code /metrics} and the paths of its parts. */
public final class Pages implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger("serve");

  private final ServerSettings settings;
  private final Javalin server;
  private final List<HttpPart> parts;
  private final ConnectionLimit connections;

  private Pages(
      ServerSettings settings, Javalin server, List<HttpPart> parts, ConnectionLimit connections) {
    this.connections = connections;
    this.settings = settings;
    this.server = server;
    this.parts = parts;
  }

  /**
   * Tries to bind the port, before anything is declared or loaded, and releases it.
   *
   * @throws CommandFailedException if the address or port is not available
   */
  public static void requireFree(ServerSettings settings) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true); // as the server does
      socket.bind(new InetSocketAddress(settings.address(), settings.port()));
    } catch (IOException e) {
      throw refuse(settings, e);
    }
  }

  /**
   * @throws CommandFailedException if the address or port is not available
   */
  public static Pages open(
      ServerSettings settings,
      Supplier<Health> health,
      Supplier<String> metrics,
      List<HttpPart> parts) {
    List<HttpPart> all = new ArrayList<>(parts);
    all.add(new PlainPages(settings, health, metrics));
    return open(settings, all);
  }

  /**
   * Opens a server with these parts only.
   *
   * @throws CommandFailedException if the address or port is not available
   */
  public static Pages open(ServerSettings settings, List<HttpPart> parts) {
    ConnectionLimit connections = new ConnectionLimit();
    Javalin server =
        Javalin.create(
            config -> {
              Jetty.configure(config, settings, parts, connections);
              ProblemOfFailure.addTo(config.routes);
              parts.forEach(part -> part.addTo(config));
            });
    try {
      server.start();
    } catch (JavalinBindException e) {
      throw refuse(settings, e);
    } catch (RuntimeException e) {
      if (e.getCause() instanceof IOException) {
        throw refuse(settings, e);
      }
      throw e;
    }
    return new Pages(settings, server, parts, connections);
  }

  private static CommandFailedException refuse(ServerSettings settings, Exception e) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    return new CommandFailedException(
        ExitCodes.FAILED,
        "cannot listen on %s:%s (pocketwatch.server): %s"
            .formatted(settings.address(), settings.port(), ErrorWords.of(cause)),
        e);
  }

  /** The address it listens on: {@code http://127.0.0.1:8177}. */
  public String url() {
    String host = settings.address();
    return "http://%s:%s".formatted(host.contains(":") ? "[" + host + "]" : host, server.port());
  }

  /** Takes no more requests, and waits a moment for those under way. */
  @Override
  public void close() {
    parts.forEach(HttpPart::endStreams);
    try {
      server.stop();
    } catch (JavalinException e) {
      LOG.warn("Requests that took too long were cut off: {}", ErrorWords.of(e));
    }
    parts.forEach(HttpPart::close); // present requests still needed them
    connections.close();
  }
}
