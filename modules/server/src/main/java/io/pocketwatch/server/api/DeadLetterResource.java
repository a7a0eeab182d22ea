// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.rabbitmq.client.Connection;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.server.access.Caller;
import io.pocketwatch.server.config.CallbackSettings;
import io.pocketwatch.server.deadletter.DeadLetter;
import io.pocketwatch.server.deadletter.DeadLetterQueue;
import io.pocketwatch.server.deadletter.DeadLetters;
import io.pocketwatch.server.deadletter.DeadLetters.Result;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.BrokerThreads;
import io.pocketwatch.server.http.CachedAnswers;
import io.pocketwatch.server.http.HttpPart;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.server.http.ProblemType;
import io.pocketwatch.server.request.Parameters;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Dead letters: shows them with their reason, sends them again, for 5 s per request, or deletes
 * them.
 */
final class DeadLetterResource {
  private static final long NANOS_PER_REQUEST = Duration.ofSeconds(5).toNanos();
  private static final Duration KEEP = Duration.ofSeconds(10);

  /** An equal count may mean other messages, so a look is not trusted for longer. */
  private static final Duration KNOWN_FOR = Duration.ofMinutes(1);

  private static final int REMEMBERED = 100;
  private static final int AT_A_TIME = 100;

  private final BrokerSide broker;
  private final HoldQueueResource counts;
  private final List<CallbackSettings> callbacks;
  private final @Nullable ChangeLog log;
  private final BrokerThreads threads;
  private final CachedAnswers<Boolean, Parked> parked =
      new CachedAnswers<>(1, KEEP, each -> look());
  private final CachedAnswers<DeadLetterQueue, Waiting> waiting =
      new CachedAnswers<>(REMEMBERED, KEEP, this::look);

  /** The last look at each queue, kept because a look takes each message out for a moment. */
  private final Map<DeadLetterQueue, Waiting> known = new ConcurrentHashMap<>();

  /**
   * @param threads to ask on
   * @param counts is refreshed after a change
   * @param callbacks the routes that call back
   * @param log records changes; null where there is no store
   */
  DeadLetterResource(
      BrokerSide broker,
      BrokerThreads threads,
      HoldQueueResource counts,
      List<CallbackSettings> callbacks,
      @Nullable ChangeLog log) {
    this.log = log;
    this.broker = broker;
    this.counts = counts;
    this.callbacks = List.copyOf(callbacks);
    this.threads = threads;
  }

  void addTo(RoutesConfig routes) {
    routes.get(
        HttpPart.REST + "/unroutable",
        context -> Answers.json(context, 200, unroutable().seenBy(Caller.of(context))));
    routes.post(
        HttpPart.REST + "/unroutable/send", context -> change(context, unroutable(context), true));
    routes.post(
        HttpPart.REST + "/unroutable/delete",
        context -> change(context, unroutable(context), false));
    routes.get(
        HttpPart.REST + "/parked/{route}",
        context -> Answers.json(context, 200, waiting.get(parked(context), threads)));
    routes.post(
        HttpPart.REST + "/parked/{route}/send", context -> change(context, parked(context), true));
    routes.post(
        HttpPart.REST + "/parked/{route}/delete",
        context -> change(context, parked(context), false));
  }

  /**
   * The dead letters of a queue.
   *
   * @param queue its name
   * @param at when the queue was looked at
   * @param count how many there are; null if the caller may not see all of them
   * @param messages the first 100
   */
  record Waiting(String queue, Instant at, @Nullable Long count, List<DeadLetter> messages) {
    /** Only the messages on routes that the caller may see. */
    Waiting seenBy(Caller caller) {
      return caller.routes().isEmpty()
          ? this
          : new Waiting(
              queue,
              at,
              null,
              messages.stream()
                  .filter(each -> each.route() != null && caller.sees(each.route()))
                  .toList());
    }
  }

  /**
   * Callbacks without a row, grouped.
   *
   * @param known whether the broker could be asked
   * @param groups the most frequent first
   */
  record Parked(boolean known, List<Group> groups) {}

  /**
   * Callbacks given up for the same reason.
   *
   * @param queue the queue they wait in
   * @param count how many
   * @param reason null if unknown: the message has none, or is not among the first 100
   */
  record Group(String queue, String route, long count, @Nullable String reason) {}

  /** Parked callbacks, at most ten seconds old. */
  Parked parked() {
    try {
      return parked.get(true, threads);
    } catch (Problem e) { // health says so
      return new Parked(false, List.of());
    }
  }

  /**
   * Messages that came due for a missing target, at most ten seconds old.
   *
   * @throws Problem if the broker does not answer
   */
  Waiting unroutable() {
    return waiting.get(DeadLetterQueue.unroutable(names()), threads);
  }

  private Parked look() {
    if (callbacks.isEmpty()) {
      return new Parked(true, List.of());
    }
    try {
      return Channels.use(broker.connect("pocketwatch parked"), this::look);
    } catch (IOException | TimeoutException e) { // health says so
      return new Parked(false, List.of());
    }
  }

  private Parked look(Connection connection) throws IOException {
    List<Group> groups = new ArrayList<>();
    for (DeadLetterQueue queue : DeadLetterQueue.parked(names(), callbacks)) {
      groups.addAll(groups(queue, look(connection, queue, false)));
    }
    groups.sort((one, other) -> Long.compare(other.count(), one.count()));
    return new Parked(true, groups);
  }

  private Waiting look(DeadLetterQueue queue) {
    try {
      return Channels.use(
          broker.connect("pocketwatch dead letters"), connection -> look(connection, queue, true));
    } catch (IOException | TimeoutException e) {
      throw BrokerThreads.away("the broker cannot be asked for queue '%s'".formatted(queue.name()));
    }
  }

  /**
   * @param anew whether to look even if the count is unchanged
   */
  private Waiting look(Connection connection, DeadLetterQueue queue, boolean anew)
      throws IOException {
    try (DeadLetters messages = new DeadLetters(connection, names(), queue)) {
      Long count = messages.count();
      Waiting before = known.get(queue);
      if (!anew && before != null && count.equals(before.count()) && isRecent(before)) {
        return before;
      }
      List<DeadLetter> first = count == 0 ? List.of() : messages.first(AT_A_TIME, broker.routes());
      Waiting now = new Waiting(queue.name(), Instant.now(), count, first);
      known.put(queue, now);
      return now;
    }
  }

  private static boolean isRecent(Waiting look) {
    return look.at().isAfter(Instant.now().minus(KNOWN_FOR));
  }

  private static List<Group> groups(DeadLetterQueue queue, Waiting found) {
    Map<String, Long> reasons = new LinkedHashMap<>();
    for (DeadLetter each : found.messages()) {
      reasons.merge(each.reason() == null ? "" : each.reason(), 1L, Long::sum);
    }
    long count = found.count() == null ? 0 : found.count();
    if (count > found.messages().size()) {
      reasons.merge("", count - found.messages().size(), Long::sum);
    }
    return reasons.entrySet().stream()
        .map(each -> group(queue, each.getKey(), each.getValue()))
        .toList();
  }

  private static Group group(DeadLetterQueue queue, String reason, long count) {
    return new Group(
        queue.name(), String.valueOf(queue.route()), count, reason.isEmpty() ? null : reason);
  }

  private Names names() {
    return new Names(broker.routes().hold().namePrefix());
  }

  private DeadLetterQueue unroutable(Context context) {
    Caller.of(context).requireAllRoutes();
    return DeadLetterQueue.unroutable(names());
  }

  private DeadLetterQueue parked(Context context) {
    String route = context.pathParam("route");
    Caller.of(context).requireRoute(route);
    return DeadLetterQueue.parked(names(), callbacks).stream()
        .filter(each -> route.equals(each.route()))
        .findFirst()
        .orElseThrow(
            () -> Problem.of(ProblemType.NOT_FOUND, "no route '%s' calls back".formatted(route)));
  }

  private void change(Context context, DeadLetterQueue queue, boolean send) {
    long end = System.nanoTime() + NANOS_PER_REQUEST;
    LongPredicate inTime = seen -> System.nanoTime() - end < 0;
    new Parameters(context, "id");
    Set<String> ids = Set.copyOf(context.queryParams("id"));
    AtomicLong soFar = new AtomicLong();
    try {
      Result done =
          Channels.use(
              broker.connect("pocketwatch dead letters"),
              connection -> {
                DeadLetters messages = new DeadLetters(connection, names(), queue);
                try (messages) {
                  return send
                      ? messages.send(ids, inTime)
                      : ids.isEmpty()
                          ? new Result(messages.delete(), Map.of(), false)
                          : messages.delete(ids, inTime);
                } finally {
                  soFar.set(messages.done());
                  counts.forget();
                  known.remove(queue);
                  parked.forget();
                  waiting.forget();
                }
              });
      long left = done.left().values().stream().mapToLong(Long::longValue).sum();
      note(context, queue, send, done.sent(), left);
      Answers.json(context, 200, send ? done : Map.of("deleted", done.sent(), "more", done.more()));
    } catch (IOException | TimeoutException e) {
      note(context, queue, send, soFar.get(), 0);
      throw BrokerThreads.away(
          "the broker does not answer; what it has not confirmed is still in queue '%s'"
              .formatted(queue.name()));
    }
  }

  private void note(Context context, DeadLetterQueue queue, boolean send, long changed, long left) {
    if (log != null && changed + left > 0) {
      log.add(
          Caller.of(context),
          send ? "sent again" : "deleted",
          queue.route(),
          "queue " + queue.name(),
          changed,
          left);
    }
  }
}
