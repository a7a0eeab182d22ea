// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.server.access.Caller;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.server.http.ProblemType;
import io.pocketwatch.server.request.Bodies;
import io.pocketwatch.server.request.Fields;
import io.pocketwatch.server.store.MessageChanges;
import io.pocketwatch.server.store.MessageChanges.Changed;
import io.pocketwatch.server.view.MessageView;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SchedulingStore.MessageChange;
import io.pocketwatch.store.StoredMessage;
import java.time.Duration;
import java.time.Instant;

/** Shows, cancels, reschedules or retries one stored message. */
final class MessageResource {
  private static final String ONE = MessageView.PATH + "/{route}/{id}";

  private final Backend backend;
  private final MessageReader reader;
  private final Bodies bodies;
  private final ChangeLog log;

  MessageResource(Backend backend, MessageReader reader, Bodies bodies, ChangeLog log) {
    this.log = log;
    this.backend = backend;
    this.reader = reader;
    this.bodies = bodies;
  }

  void addTo(RoutesConfig routes) {
    routes.get(ONE, this::get);
    routes.post(ONE + "/cancel", context -> change(context, "cancel", MessageChange.cancel()));
    routes.post(ONE + "/retry", context -> change(context, "retry", MessageChange.retry()));
    routes.post(
        ONE + "/send-now",
        context -> change(context, "send-now", MessageChange.rescheduleTo(backend.store().now())));
    routes.post(ONE + "/reschedule", this::reschedule);
  }

  private void get(Context context) {
    MessageKey key = key(context);
    if (reader.with(key, stored -> answer(context, stored)).isEmpty()) {
      throw unknown(key);
    }
  }

  /** Sends the answer while the memory for the message is still taken. */
  private boolean answer(Context context, StoredMessage stored) {
    Answers.json(context, 200, MessageView.whole(stored, backend.routes(), backend.store()));
    return true;
  }

  private void reschedule(Context context) {
    Fields fields = Fields.of(bodies.plain(context));
    Duration delay = fields.delay("delay");
    Instant deliverAt = fields.instant("deliverAt");
    fields.requireNoOther();
    if ((delay == null) == (deliverAt == null)) {
      throw Problem.at(ProblemType.INVALID_FIELD, "", "give either delay or deliverAt");
    }
    Instant to = deliverAt == null ? backend.store().now().plus(delay) : deliverAt;
    change(context, "reschedule", MessageChange.rescheduleTo(to));
  }

  private void change(Context context, String what, MessageChange change) {
    MessageKey key = key(context);
    Caller caller = Caller.of(context);
    Changed changed =
        new MessageChanges(backend.publisher().store(), backend.store(), caller.actor())
            .one(key, change);
    log.add(caller, what, key, changed.outcome());
    switch (changed.outcome()) {
      case DONE -> Answers.json(context, 200, changed.json());
      case UNKNOWN -> throw unknown(key);
      case TOO_LATE -> throw refused(ProblemType.TOO_LATE, changed);
      case BEING_HANDLED -> throw refused(ProblemType.BEING_HANDLED, changed);
      case UNCERTAIN -> throw new IllegalStateException("a store that does not know throws");
    }
  }

  private static Problem refused(ProblemType type, Changed changed) {
    Problem problem = Problem.of(type, changed.words());
    MessageView now = changed.message();
    return now == null ? problem : problem.with("message", now);
  }

  /**
   * @throws Problem if the caller may not see this route
   */
  private static MessageKey key(Context context) {
    MessageKey key = new MessageKey(context.pathParam("route"), context.pathParam("id"));
    Caller.of(context).requireRoute(key.route());
    return key;
  }

  private static Problem unknown(MessageKey key) {
    return Problem.of(
        ProblemType.UNKNOWN_MESSAGE,
        "there is no row %s: it may be deleted, or its route is not tracked and the broker has it"
            .formatted(key));
  }
}
