// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Takes messages. Answers when their outcome is known, and holds a thread until then. */
final class Scheduling {
  private static final String MESSAGES = RestApi.ROOT + "/messages";
  private static final int OK = 200;
  private static final List<String> FURTHER_KEYS = List.of("CC", "BCC");

  private final Backend backend;
  private final Bodies bodies;
  private final RateLimits rates;
  private final Submitting submitting;
  private final boolean configuredOnly;

  Scheduling(
      Backend backend, Finding finding, Bodies bodies, RateLimits rates, boolean configuredOnly) {
    this.configuredOnly = configuredOnly;
    this.backend = backend;
    this.bodies = bodies;
    this.rates = rates;
    this.submitting = new Submitting(backend, finding);
  }

  void addTo(RoutesConfig routes) {
    routes.post(MESSAGES, this::one);
    routes.post(MESSAGES + "/batch", this::many);
  }

  private void one(Context context) {
    Fields fields = Fields.of(bodies.message(context));
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
    Fields fields = Fields.of(bodies.messages(context));
    JsonNode messages = fields.value(Bodies.MESSAGES);
    fields.requireNoOther();
    if (messages == null || !messages.isArray() || messages.isEmpty()) {
      throw fields.refuse("messages", "is not a list of at least one message");
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
    requireTarget(caller, message, routes);
    int most = routes.publisher().maxBodySize();
    if (message.message().body().length > most) {
      throw new ProblemException(
          ProblemType.TOO_LARGE,
          "the message's body has %d bytes; allowed: %d (pocketwatch.publisher.max-body-size)"
              .formatted(message.message().body().length, most));
    }
    rates.requireMessage(caller, message.route().name());
    return submitting.submit(message);
  }

  /** Whether it goes where this caller may send: the further keys in its headers count too. */
  private void requireTarget(Caller caller, NewMessage asked, DelayRoutes routes) {
    requireTarget(caller, asked.route());
    if (!configuredOnly && caller.routes().isEmpty()) {
      return;
    }
    DelayedMessage message = asked.message();
    Map<String, Object> headers = message.properties().getHeaders();
    for (String name : headers == null ? List.<String>of() : FURTHER_KEYS) {
      if (headers.get(name) instanceof List<?> keys) {
        keys.forEach(
            key -> requireTarget(caller, routes.match(message.exchange(), String.valueOf(key))));
      }
    }
  }

  private void requireTarget(Caller caller, DelayRoute route) {
    caller.requireRoute(route.name());
    if (configuredOnly && route.name().equals(DelayRoute.DEFAULTS)) {
      throw new ProblemException(
          ProblemType.FORBIDDEN,
          "this server sends to configured routes only (pocketwatch.server.targets), and none has"
              + " this exchange and routing key");
    }
  }
}
