// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import io.javalin.config.JavalinConfig;
import org.eclipse.jetty.server.Request;

/** Something that is to be had over HTTP; several make up what {@code serve} answers. */
public interface HttpPart extends AutoCloseable {
  /** What every path of REST begins with. */
  String REST = "/api/v1";

  /** Where a client follows what happens, for as long as it likes. */
  String EVENTS = REST + "/events";

  /** Adds its paths, before the server listens. */
  void addTo(JavalinConfig config);

  /**
   * Whether it will read this request's body. Before it is asked nobody has looked at the request:
   * bodies of people it does not know are not worth any memory.
   */
  default boolean reads(Request request) {
    return false;
  }

  /** Ends answers that have no end of their own: the server is about to stop. */
  default void endStreams() {}

  /** Ends what it does besides answering; nobody asks any more. */
  @Override
  default void close() {}
}
