// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import io.javalin.config.JavalinConfig;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** How the server below behaves. */
final class Jetty {
  private static final long STOP_MILLIS = 5_000;

  /** An id may hold a slash or a percent sign, which are encoded in a path. */
  private static final UriCompliance ENCODED_SLASHES =
      UriCompliance.DEFAULT.with(
          "pocketwatch",
          UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR,
          UriCompliance.Violation.AMBIGUOUS_PATH_ENCODING);

  private Jetty() {}

  static void configure(JavalinConfig config, QueuedThreadPool threads) {
    config.startup.showJavalinBanner = false;
    config.startup.showOldJavalinVersionWarning = false;
    config.startup.startupWatcherEnabled = false;
    config.http.prefer405over404 = true;
    config.http.generateEtags = false;
    config.jetty.threadPool = threads;
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
        });
    config.jetty.modifyServletContextHandler(
        context -> context.getServletHandler().setDecodeAmbiguousURIs(true));
  }
}
