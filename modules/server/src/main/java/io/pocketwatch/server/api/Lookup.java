// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage;

/** One stored message. */
final class Lookup {
  private final Backend backend;

  Lookup(Backend backend) {
    this.backend = backend;
  }

  void addTo(RoutesConfig routes) {
    routes.get(RestApi.ROOT + "/messages/{route}/{id}", this::get);
  }

  private void get(Context context) {
    StoredMessage stored = find(backend, key(context));
    Answers.json(context, 200, FullMessage.of(stored, backend.routes()));
  }

  static MessageKey key(Context context) {
    return new MessageKey(context.pathParam("route"), context.pathParam("id"));
  }

  /**
   * @throws ProblemException if there is none
   */
  static StoredMessage find(Backend backend, MessageKey key) {
    return backend.store().find(key).orElseThrow(() -> new ProblemException(unknown(key)));
  }

  static Problem unknown(MessageKey key) {
    return Problem.of(
        ProblemType.UNKNOWN_MESSAGE,
        "there is no row %s: it may be history, or its route is not tracked and the broker has it"
            .formatted(key));
  }
}
