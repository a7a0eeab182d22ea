// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.server.store.ChangeWords;
import io.pocketwatch.store.ChangeOutcome;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Cancel, move, release: of one message. */
final class Changing {
  private static final String ONE = RestApi.ROOT + "/messages/{route}/{id}";

  private final Backend backend;
  private final Finding finding;
  private final Bodies bodies;

  Changing(Backend backend, Finding finding, Bodies bodies) {
    this.backend = backend;
    this.finding = finding;
    this.bodies = bodies;
  }

  void addTo(RoutesConfig routes) {
    routes.post(ONE + "/cancel", context -> change(context, "cancelled", DelayStore::cancel));
    routes.post(ONE + "/re-release", context -> change(context, "released", DelayStore::release));
    routes.post(
        ONE + "/release-now",
        context -> change(context, "moved", (store, key) -> store.reschedule(key, store.now())));
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
        "moved",
        (store, key) ->
            store.reschedule(key, deliverAt == null ? store.now().plus(delay) : deliverAt));
  }

  private void change(
      Context context, String done, BiFunction<DelayStore, MessageKey, ChangeOutcome> change) {
    MessageKey key = Lookup.key(context);
    DelayStore store = backend.store();
    ChangeOutcome outcome = change.apply(store, key);
    Optional<StoredMessage> after = finding.find(key);
    String words = ChangeWords.of(done, key, outcome, after);
    switch (outcome) {
      case DONE -> Answers.json(context, 200, changed(key, words, after));
      case UNKNOWN -> throw new ProblemException(Lookup.unknown(key));
      case TOO_LATE -> throw new ProblemException(problem(ProblemType.TOO_LATE, words, after));
      case BEING_HANDLED ->
          throw new ProblemException(problem(ProblemType.BEING_HANDLED, words, after));
    }
  }

  private static Problem problem(ProblemType type, String words, Optional<StoredMessage> now) {
    Problem problem = Problem.of(type, words);
    return now.map(each -> problem.with("message", MessageView.of(each))).orElse(problem);
  }

  private static Map<String, @Nullable Object> changed(
      MessageKey key, String words, Optional<StoredMessage> after) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("route", key.route());
    json.put("id", key.id());
    json.put("outcome", ChangeOutcome.DONE);
    json.put("detail", words);
    json.put("message", after.map(MessageView::of).orElse(null));
    return json;
  }
}
