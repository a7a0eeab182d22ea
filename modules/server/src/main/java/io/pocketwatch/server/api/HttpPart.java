// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.JavalinConfig;

/** Something that is to be had over HTTP; several make up what {@code serve} answers. */
public interface HttpPart extends AutoCloseable {
  /** Adds its paths, before the server listens. */
  void addTo(JavalinConfig config);

  /** Ends what it does besides answering. */
  @Override
  default void close() {}
}
