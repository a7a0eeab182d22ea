// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.javalin.config.JavalinConfig;
import io.pocketwatch.server.config.HttpLimits;
import io.pocketwatch.server.config.ServerSettings;
import io.pocketwatch.server.http.ConnectionLimit;
import io.pocketwatch.server.http.HttpPart;
import io.pocketwatch.server.http.LoadLimit;
import io.pocketwatch.server.http.RequestBodies;
import java.util.List;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Configures Jetty, the server below Javalin. */
final class Jetty {
  private static final int MOST_THREADS = 64;
  private static final int LEAST_THREADS = 4;
  private static final long STOP_MILLIS = 5_000;

  /** Javalin takes this header for the method: a proxy that lets GET pass would let all pass. */
  private static final String METHOD_OVERRIDE = "X-HTTP-Method-Override";

  /** An id may hold a slash, a backslash or a percent sign, which are encoded in a path. */
  private static final UriCompliance ENCODED_SLASHES =
      UriCompliance.DEFAULT.with(
          "pocketwatch",
          UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR,
          UriCompliance.Violation.AMBIGUOUS_PATH_ENCODING,
          UriCompliance.Violation.SUSPICIOUS_PATH_CHARACTERS);

  private Jetty() {}

  /**
   * @param connections closed by its creator, after the server
   */
  static void configure(
      JavalinConfig config,
      ServerSettings settings,
      List<HttpPart> parts,
      ConnectionLimit connections) {
    config.startup.showJavalinBanner = false;
    config.startup.showOldJavalinVersionWarning = false;
    config.startup.startupWatcherEnabled = false;
    config.http.prefer405over404 = true;
    config.http.generateEtags = false;
    config.jetty.threadPool = threads();
    config.jetty.modifyHttpConfiguration(
        http -> {
          http.setSendServerVersion(false);
          http.setSendDateHeader(true);
          http.setUriCompliance(ENCODED_SLASHES);
          http.addCustomizer(
              (request, answer) -> {
                answer.put("X-Content-Type-Options", "nosniff");
                return withoutOverride(request);
              });
        });
    config.jetty.addConnector((server, http) -> connector(server, http, settings, connections));
    config.jetty.modifyServer(
        server -> {
          server.setStopTimeout(STOP_MILLIS);
          server.setStopAtShutdown(false);
          server.setErrorHandler(new PlainErrors());
          server.insertHandler(new LoadLimit("/health", "/metrics", HttpPart.EVENTS));
          server.insertHandler(bodies(settings.limits(), parts, connections));
        });
    config.jetty.modifyServletContextHandler(
        context -> context.getServletHandler().setDecodeAmbiguousURIs(true));
  }

  private static QueuedThreadPool threads() {
    QueuedThreadPool threads = new QueuedThreadPool(MOST_THREADS, LEAST_THREADS);
    threads.setName("pocketwatch-http");
    threads.setDaemon(true);
    return threads;
  }

  private static Connector connector(
      Server server, HttpConfiguration http, ServerSettings settings, ConnectionLimit connections) {
    ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(http));
    connector.setHost(settings.address());
    connector.setPort(settings.port());
    connector.addEventListener(connections);
    return connector;
  }

  private static RequestBodies bodies(
      HttpLimits limits, List<HttpPart> parts, ConnectionLimit connections) {
    return new RequestBodies(
        connections,
        limits.bodyMemory(),
        limits.requestSize(),
        request -> parts.stream().anyMatch(part -> part.reads(request)),
        request -> HttpPart.EVENTS.equals(Request.getPathInContext(request)));
  }

  private static Request withoutOverride(Request request) {
    if (!request.getHeaders().contains(METHOD_OVERRIDE)) {
      return request;
    }
    HttpFields headers = HttpFields.build(request.getHeaders()).remove(METHOD_OVERRIDE);
    return new Request.Wrapper(request) {
      @Override
      public HttpFields getHeaders() {
        return headers;
      }
    };
  }
}
