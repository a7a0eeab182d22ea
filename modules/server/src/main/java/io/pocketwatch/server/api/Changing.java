// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.server.store.ChangeWords;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.SchedulingStore;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Cancel, move, release: of one message. */
final class Changing {
  private static final String ONE = RestApi.ROOT + "/messages/{route}/{id}";

  private final Backend backend;
  private final Bodies bodies;

  Changing(Backend backend, Bodies bodies) {
    this.backend = backend;
    this.bodies = bodies;
  }

  void addTo(RoutesConfig routes) {
    routes.post(
        ONE + "/cancel",
        context -> change(context, "cancel", "cancelled", SchedulingStore::cancel));
    routes.post(
        ONE + "/re-release",
        context -> change(context, "re-release", "released", SchedulingStore::release));
    routes.post(
        ONE + "/release-now",
        context ->
            change(
                context,
                "release-now",
                "moved",
                (store, key, actor) -> store.reschedule(key, backend.store().now(), actor)));
    routes.post(ONE + "/reschedule", this::reschedule);
  }

  private void reschedule(Context context) {
    Fields fields = Fields.of(bodies.plain(context));
    Duration delay = fields.delay("delay");
    Instant deliverAt = fields.instant("deliverAt");
    fields.requireNoOther();
    if ((delay == null) == (deliverAt == null)) {
      throw ProblemException.at(ProblemType.INVALID_FIELD, "", "give either delay or deliverAt");
    }
    change(
        context,
        "reschedule",
        "moved",
        (store, key, actor) ->
            store.reschedule(
                key, deliverAt == null ? backend.store().now().plus(delay) : deliverAt, actor));
  }

  private void change(Context context, String what, String done, StoreChange change) {
    MessageKey key = Lookup.key(context);
    Caller caller = Caller.of(context);
    ChangeOutcome outcome = change.apply(backend.publisher().store(), key, caller.actor());
    ChangeLog.add(caller, what, key, outcome);
    Optional<MessageSummary> after = backend.store().summary(key);
    String words = ChangeWords.of(done, key, outcome, after.map(MessageSummary::stored));
    switch (outcome) {
      case DONE -> Answers.json(context, 200, changed(key, words, after));
      case UNKNOWN -> throw new ProblemException(Lookup.unknown(key));
      case TOO_LATE -> throw new ProblemException(problem(ProblemType.TOO_LATE, words, after));
      case BEING_HANDLED ->
          throw new ProblemException(problem(ProblemType.BEING_HANDLED, words, after));
      case UNCERTAIN -> throw new IllegalStateException("a store that does not know throws");
    }
  }

  private interface StoreChange {
    ChangeOutcome apply(SchedulingStore store, MessageKey key, String actor);
  }

  private static Problem problem(ProblemType type, String words, Optional<MessageSummary> now) {
    Problem problem = Problem.of(type, words);
    return now.map(each -> problem.with("message", MessageView.of(each))).orElse(problem);
  }

  private static Map<String, @Nullable Object> changed(
      MessageKey key, String words, Optional<MessageSummary> after) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("route", key.route());
    json.put("id", key.id());
    json.put("outcome", ChangeOutcome.DONE);
    json.put("detail", words);
    json.put("message", after.map(MessageView::of).orElse(null));
    return json;
  }
}
