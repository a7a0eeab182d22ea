// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.javalin.config.JavalinConfig;
import io.pocketwatch.server.api.RestApi;
import java.time.Duration;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.handler.QoSHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** How the server below behaves. */
final class Jetty {
  private static final int MOST_THREADS = 64;
  private static final int LEAST_THREADS = 4;
  private static final int MOST_REQUESTS = 48;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);
  private static final long STOP_MILLIS = 5_000;

  /** An id may hold a slash or a percent sign, which are encoded in a path. */
  private static final UriCompliance ENCODED_SLASHES =
      UriCompliance.DEFAULT.with(
          "pocketwatch",
          UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR,
          UriCompliance.Violation.AMBIGUOUS_PATH_ENCODING);

  private Jetty() {}

  static void configure(JavalinConfig config) {
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
        });
    config.jetty.modifyServer(
        server -> {
          server.setStopTimeout(STOP_MILLIS);
          server.setStopAtShutdown(false);
          server.setErrorHandler(new PlainErrors());
          server.insertHandler(sparingThreads());
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

  /**
   * Whatever may wait for a database or broker takes turns, and is answered 503 when its turn does
   * not come: the other threads are for {@code /health} and {@code /metrics}, which have to answer
   * just then. A stream of events keeps no thread, and would keep a turn for ever.
   */
  private static QoSHandler sparingThreads() {
    QoSHandler handler = new QoSHandler();
    handler.setMaxRequestCount(MOST_REQUESTS);
    handler.setMaxSuspend(LONGEST_WAIT);
    handler.excludePath("/health", "/metrics", RestApi.EVENTS);
    return handler;
  }
}
