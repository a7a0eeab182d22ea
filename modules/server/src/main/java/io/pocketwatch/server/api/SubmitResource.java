// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.internal.rows.RowCodec;
import io.pocketwatch.server.access.Caller;
import io.pocketwatch.server.access.RateLimits;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.server.http.ProblemOfFailure;
import io.pocketwatch.server.http.ProblemType;
import io.pocketwatch.server.request.Bodies;
import io.pocketwatch.server.request.Fields;
import io.pocketwatch.server.request.NewMessage;
import io.pocketwatch.server.view.MessageView;
import io.pocketwatch.store.IdConflictException;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.tracking.TrackedPublisher;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Publishes messages. Answers once their outcome is known, and holds a thread until then. */
final class SubmitResource {
  private static final int OK = 200;
  private static final List<String> FURTHER_KEYS = List.of("CC", "BCC");

  private final Backend backend;
  private final Bodies bodies;
  private final RateLimits rates;
  private final MessageReader reader;
  private final boolean configuredOnly;

  SubmitResource(
      Backend backend,
      MessageReader reader,
      Bodies bodies,
      RateLimits rates,
      boolean configuredOnly) {
    this.configuredOnly = configuredOnly;
    this.backend = backend;
    this.bodies = bodies;
    this.rates = rates;
    this.reader = reader;
  }

  void addTo(RoutesConfig routes) {
    routes.post(MessageView.PATH, this::one);
    routes.post(MessageView.PATH + "/batch", this::many);
  }

  private void one(Context context) {
    Fields fields = Fields.of(bodies.message(context));
    SubmitResult outcome =
        submit(Caller.of(context), fields, context.header("Idempotency-Key")).get();
    Problem problem = outcome.problem();
    if (problem != null) {
      throw problem;
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
    List<Supplier<SubmitResult>> sent = new ArrayList<>();
    for (int i = 0; i < messages.size(); i++) {
      sent.add(submit(caller, messages.get(i), "/messages/" + i));
    }
    List<SubmitResult> outcomes = sent.stream().map(Supplier::get).toList();
    List<Map<String, @Nullable Object>> results =
        outcomes.stream().map(SubmitResult::json).toList();
    long refused = outcomes.stream().filter(each -> each.problem() != null).count();
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("accepted", results.size() - refused);
    answer.put("refused", refused);
    answer.put("results", results);
    Answers.json(context, OK, answer);
  }

  private Supplier<SubmitResult> submit(Caller caller, JsonNode item, String pointer) {
    try {
      return submit(caller, Fields.of(item, pointer), null);
    } catch (Problem e) {
      return () -> SubmitResult.refused(e);
    }
  }

  private Supplier<SubmitResult> submit(
      Caller caller, Fields fields, @Nullable String keyOfHeader) {
    DelayRoutes routes = backend.routes();
    NewMessage message = NewMessage.read(fields, routes, keyOfHeader);
    requireTarget(caller, message, routes);
    int most = routes.publisher().maxBodySize();
    if (message.message().body().length > most) {
      throw Problem.of(
          ProblemType.TOO_LARGE,
          "the message's body has %s bytes; allowed: %s (pocketwatch.publisher.max-body-size)"
              .formatted(message.message().body().length, most));
    }
    rates.requireMessage(caller, message.route().name());
    return publish(message);
  }

  /** Refuses a target that the caller may not send to, the keys in CC and BCC included. */
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
      throw Problem.of(
          ProblemType.FORBIDDEN,
          "this server sends to configured routes only (pocketwatch.server.targets), and none has"
              + " this exchange and routing key");
    }
  }

  /**
   * Starts to publish a message.
   *
   * @return waits for the outcome; does not throw
   */
  private Supplier<SubmitResult> publish(NewMessage asked) {
    TrackedPublisher publisher = backend.publisher();
    CompletableFuture<PublishReceipt> receipt = publisher.publish(asked.message());
    return () -> {
      try {
        return SubmitResult.of(receipt.join());
      } catch (CompletionException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return refused(asked, publisher, cause);
      }
    };
  }

  private SubmitResult refused(NewMessage asked, TrackedPublisher publisher, Throwable cause) {
    if (cause instanceof IllegalStateException) { // a reload has just replaced the publisher
      return SubmitResult.refused(
          Problem.of(ProblemType.BROKER_UNAVAILABLE, "the server takes up another configuration")
              .retryAfter(ProblemOfFailure.COME_AGAIN));
    }
    try {
      if (cause instanceof IdConflictException) {
        Optional<SubmitResult> known = comparedWithThere(asked.message(), publisher);
        if (known.isPresent()) {
          return known.get();
        }
      }
      return SubmitResult.refused(ProblemOfFailure.of(cause));
    } catch (RuntimeException e) {
      return SubmitResult.refused(ProblemOfFailure.of(e));
    }
  }

  /**
   * Compares a message with the stored one of its id. A second request for the same delay, or for
   * none, asks for a later instant and is the same. Says what differs.
   */
  private Optional<SubmitResult> comparedWithThere(
      DelayedMessage message, TrackedPublisher publisher) {
    ScheduledMessage asked = publisher.unwrap(HandOff.class).prepare(message).row();
    Optional<MessageSummary> known = backend.store().summary(asked.key());
    if (known.isPresent() && known.get().bodyBytes() != asked.body().length) {
      StoredMessage there = known.get().stored(); // which may be too large to be read
      List<String> differs = differences(there.message(), asked);
      differs.add("body");
      return Optional.of(compared(there, differs, message));
    }
    return reader.with(
        asked.key(),
        there -> {
          List<String> differs = differences(there.message(), asked);
          differs.addAll(otherContent(there.message(), asked));
          return compared(there, differs, message);
        });
  }

  private static SubmitResult compared(
      StoredMessage there, List<String> differs, DelayedMessage message) {
    if (differs.isEmpty() && message.deliverAt() == null) {
      return SubmitResult.there(there.key(), there.deliverAt());
    }
    if (differs.isEmpty()) {
      differs.add("deliverAt");
    }
    return SubmitResult.refused(
        Problem.of(
                ProblemType.ID_CONFLICT,
                "another message %s is stored already, with another %s; it is due %s"
                    .formatted(there.key(), String.join(" and ", differs), there.deliverAt()))
            .with("differs", differs));
  }

  private static List<String> differences(ScheduledMessage stored, ScheduledMessage asked) {
    List<String> differences = new ArrayList<>();
    if (!stored.exchange().equals(asked.exchange())) {
      differences.add("exchange");
    }
    if (!stored.routingKey().equals(asked.routingKey())) {
      differences.add("routingKey");
    }
    if (!Objects.equals(stored.businessKey(), asked.businessKey())) {
      differences.add("businessKey");
    }
    return differences;
  }

  private static List<String> otherContent(ScheduledMessage stored, ScheduledMessage asked) {
    List<String> differences = new ArrayList<>();
    if (!Arrays.equals(stored.body(), asked.body())) {
      differences.add("body");
    }
    if (!RowCodec.sameProperties(stored.properties(), asked.properties())) {
      differences.add("properties");
    }
    return differences;
  }
}
