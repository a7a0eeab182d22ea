// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import io.javalin.config.JavalinConfig;
import org.eclipse.jetty.server.Request;

/** A part of the HTTP server: a set of paths. */
public interface HttpPart extends AutoCloseable {
  /** The prefix of all REST paths. */
  String REST = "/api/v1";

  /** The path of the event stream, which a client may follow for as long as it likes. */
  String EVENTS = REST + "/events";

  /** Adds its paths, before the server listens. */
  void addTo(JavalinConfig config);

  /**
   * Whether this part will read the body of a request. Asked before anything else, since bodies of
   * unknown callers are not worth any memory.
   */
  default boolean reads(Request request) {
    return false;
  }

  /** Ends answers that have no end of their own: the server is about to stop. */
  default void endStreams() {}

  /** Ends its background work, after the last request. */
  @Override
  default void close() {}
}
