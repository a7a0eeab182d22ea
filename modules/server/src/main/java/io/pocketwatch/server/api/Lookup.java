// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.server.store.MessageLife;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One stored message. */
final class Lookup {
  private final Backend backend;
  private final Finding finding;

  Lookup(Backend backend, Finding finding) {
    this.backend = backend;
    this.finding = finding;
  }

  void addTo(RoutesConfig routes) {
    routes.get(RestApi.ROOT + "/messages/{route}/{id}", this::get);
  }

  private void get(Context context) {
    MessageKey key = key(context);
    if (finding.with(key, stored -> answer(context, stored)).isEmpty()) {
      throw new ProblemException(unknown(key));
    }
  }

  /** In the room of the message: it is sent when this returns. */
  private boolean answer(Context context, StoredMessage stored) {
    Map<String, @Nullable Object> json = FullMessage.of(stored, backend.routes());
    Map<String, Object> hold =
        stored.state() == MessageState.HELD
            ? new Holding(backend).of(stored, backend.store().now())
            : Map.of();
    backend
        .store()
        .life(stored.key())
        .ifPresent(life -> json.put("life", MessageLife.of(stored, life, hold)));
    Answers.json(context, 200, json);
    return true;
  }

  /**
   * @throws ProblemException if the caller may not see this route
   */
  static MessageKey key(Context context) {
    MessageKey key = new MessageKey(context.pathParam("route"), context.pathParam("id"));
    Caller.of(context).requireRoute(key.route());
    return key;
  }

  static Problem unknown(MessageKey key) {
    return Problem.of(
        ProblemType.UNKNOWN_MESSAGE,
        "there is no row %s: it may be history, or its route is not tracked and the broker has it"
            .formatted(key));
  }
}
