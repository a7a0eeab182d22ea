// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.route.DelayRoutes;
import io.pocketwatch.server.config.HttpLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Takes messages. Answers when their outcome is known, and holds a thread until then. */
final class Scheduling {
  private static final String MESSAGES = RestApi.ROOT + "/messages";
  private static final int OK = 200;

  private final Backend backend;
  private final Bodies bodies;
  private final HttpLimits limits;
  private final RateLimits rates;
  private final Submitting submitting;

  Scheduling(Backend backend, Bodies bodies, HttpLimits limits) {
    this.backend = backend;
    this.bodies = bodies;
    this.limits = limits;
    this.rates = new RateLimits(limits.schedules());
    this.submitting = new Submitting(backend);
  }

  void addTo(RoutesConfig routes) {
    routes.post(MESSAGES, this::one);
    routes.post(MESSAGES + "/batch", this::many);
  }

  private void one(Context context) {
    Fields fields = Fields.of(bodies.read(context));
    Scheduled outcome = submit(Caller.of(context), fields, context.header("Idempotency-Key")).get();
    Problem problem = outcome.problem();
    if (problem != null) {
      throw new ProblemException(problem);
    }
    Object href = outcome.receipt().get("href");
    if (href != null) {
      context.header("Location", href.toString());
    }
    Answers.json(context, outcome.status(), outcome.receipt());
  }

  private void many(Context context) {
    Fields fields = Fields.of(bodies.read(context));
    JsonNode messages = fields.value("messages");
    fields.requireNoOther();
    if (messages == null || !messages.isArray() || messages.isEmpty()) {
      throw fields.refuse("messages", "is not a list of at least one message");
    }
    if (messages.size() > limits.batch()) {
      throw new ProblemException(
          ProblemType.TOO_LARGE,
          "%d messages in one request; allowed: %d (pocketwatch.server.limits.batch)"
              .formatted(messages.size(), limits.batch()));
    }
    Caller caller = Caller.of(context);
    List<Supplier<Scheduled>> sent = new ArrayList<>();
    for (int i = 0; i < messages.size(); i++) {
      sent.add(submit(caller, messages.get(i), "/messages/" + i));
    }
    List<Scheduled> outcomes = sent.stream().map(Supplier::get).toList();
    List<Map<String, @Nullable Object>> results = outcomes.stream().map(Scheduled::json).toList();
    long refused = outcomes.stream().filter(each -> each.problem() != null).count();
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("accepted", results.size() - refused);
    answer.put("refused", refused);
    answer.put("results", results);
    Answers.json(context, OK, answer);
  }

  private Supplier<Scheduled> submit(Caller caller, JsonNode item, String pointer) {
    try {
      return submit(caller, Fields.of(item, pointer), null);
    } catch (ProblemException e) {
      return () -> Scheduled.refused(e.problem());
    }
  }

  private Supplier<Scheduled> submit(Caller caller, Fields fields, @Nullable String keyOfHeader) {
    DelayRoutes routes = backend.routes();
    NewMessage message = NewMessage.read(fields, routes, keyOfHeader);
    int most = routes.publisher().maxBodySize();
    if (message.message().body().length > most) {
      throw new ProblemException(
          ProblemType.TOO_LARGE,
          "the message's body has %d bytes; allowed: %d (pocketwatch.publisher.max-body-size)"
              .formatted(message.message().body().length, most));
    }
    Optional<Duration> wait = rates.take(caller.client() + " " + message.route().name());
    if (wait.isPresent()) {
      throw new ProblemException(
          Problem.of(
                  ProblemType.RATE_LIMITED,
                  "over %d messages per second on route '%s' (pocketwatch.server.limits.schedules)"
                      .formatted(limits.schedules(), message.route().name()))
              .retryAfter(wait.get()));
    }
    return submitting.submit(message);
  }
}
