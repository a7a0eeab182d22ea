// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.server.access.Caller;
import io.pocketwatch.server.api.DeadLetterResource.Parked;
import io.pocketwatch.server.api.DeadLetterResource.Waiting;
import io.pocketwatch.server.config.CallbackSettings;
import io.pocketwatch.server.deadletter.DeadLetter;
import io.pocketwatch.server.http.Answers;
import io.pocketwatch.server.http.BrokerThreads;
import io.pocketwatch.server.http.HttpPart;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.server.http.ProblemType;
import io.pocketwatch.server.view.CallbackView;
import io.pocketwatch.server.view.OverdueView;
import io.pocketwatch.server.view.RouteView;
import io.pocketwatch.server.view.StateCounts;
import io.pocketwatch.store.LoadingStore.ConsumerProgress;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.OverviewStore.ReasonCount;
import io.pocketwatch.store.Phase;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The routes, and one route in detail. */
final class RouteResource {
  private static final int MOST_QUEUES = 20;
  private static final int EARLIEST = 20;

  private final Backend backend;
  private final CountWatch counts;
  private final HistoryResource history;
  private final DeadLetterResource deadLetters;
  private final Supplier<List<ReasonCount>> reasons;
  private final Map<String, CallbackSettings> callbacks;
  private final Supplier<List<CallbackView>> called;
  private final RouteQueues queues;

  /**
   * @param reasons why messages were given up
   * @param callbacks the routes that call back
   * @param called the state of their callbacks
   * @param threads to ask the broker on
   */
  RouteResource(
      Backend backend,
      Sources sources,
      List<CallbackSettings> callbacks,
      Supplier<List<CallbackView>> called,
      BrokerThreads threads) {
    this.backend = backend;
    this.counts = sources.counts();
    this.history = sources.history();
    this.deadLetters = sources.deadLetters();
    this.reasons = sources.reasons();
    this.callbacks =
        callbacks.stream().collect(Collectors.toMap(CallbackSettings::route, each -> each));
    this.called = called;
    this.queues = new RouteQueues(backend, threads);
  }

  /** Where the facts about routes come from. */
  record Sources(
      CountWatch counts,
      HistoryResource history,
      DeadLetterResource deadLetters,
      Supplier<List<ReasonCount>> reasons) {}

  void addTo(RoutesConfig routes) {
    routes.get(HttpPart.REST + "/routes", this::list);
    routes.get(HttpPart.REST + "/routes/{route}", this::one);
  }

  private void list(Context context) {
    Caller caller = Caller.of(context);
    Map<String, OverdueView> overdue = OverdueView.byRoute(backend.health(), caller);
    Answers.json(
        context,
        200,
        Map.of(
            "routes",
            backend
                .routes()
                .all()
                .filter(route -> caller.sees(route.name()))
                .map(route -> view(route, overdue.get(route.name())))
                .toList()));
  }

  private RouteView view(DelayRoute route, @Nullable OverdueView overdue) {
    CallbackSettings callback = callbacks.get(route.name());
    return RouteView.of(route, callback == null ? null : callback.shownUrl(), overdue);
  }

  private void one(Context context) {
    String name = context.pathParam("route");
    Caller caller = Caller.of(context);
    caller.requireRoute(name);
    OverdueView overdue = OverdueView.byRoute(backend.health(), caller).get(name);
    DelayRoute route = backend.routes().named(name);
    StateCounts counted = counts.latest();
    if (route == null && !counted.routes().containsKey(name)) {
      throw Problem.of(
          ProblemType.NOT_FOUND,
          "there is no route '%s' in the configuration, and no message of it".formatted(name));
    }
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("name", name);
    json.put("settings", route == null ? null : view(route, overdue));
    json.put("overdue", overdue);
    json.put("strategies", route == null ? List.of() : strategies(route));
    json.put("counts", counted.routes().get(name));
    List<ConsumerProgress> consumers = addStored(name, overdue, json);
    String target = target(route);
    json.put("target", target);
    json.put("queues", queues.look(exchange(route), queues(target, consumers)));
    json.put(
        "callback",
        called.get().stream().filter(each -> each.route().equals(name)).findFirst().orElse(null));
    Parked parked = deadLetters.parked();
    json.put("parkedCallbacksKnown", parked.known());
    json.put(
        "parkedCallbacks",
        parked.groups().stream().filter(each -> each.route().equals(name)).toList());
    addUnroutable(name, json);
    Answers.json(context, 200, json);
  }

  /** Adds facts from the store; while that is away, the answer goes without them. */
  private List<ConsumerProgress> addStored(
      String route, @Nullable OverdueView overdue, Map<String, @Nullable Object> json) {
    try {
      List<ConsumerProgress> consumers = backend.store().progress(route);
      List<ReasonCount> groups =
          reasons.get().stream().filter(each -> each.route().equals(route)).toList();
      Object day = history.day(route);
      NotSent notSent = notSent(route, overdue);
      json.put("storeKnown", true);
      json.put("consumers", consumers);
      json.put("notSent", notSent);
      json.put("lastDay", day);
      json.put("parked", groups);
      return consumers;
    } catch (StoreException e) {
      json.put("storeKnown", false);
      json.put("consumers", List.of());
      json.put("notSent", null);
      json.put("lastDay", null);
      json.put("parked", List.of());
      return List.of();
    }
  }

  /**
   * A due message that its target has not taken.
   *
   * @param attempts how often it was sent in vain
   * @param nextAt when it is sent again
   */
  private record NotSent(
      String exchange, String routingKey, String reason, int attempts, Instant nextAt) {}

  /** Looks among the earliest overdue messages; if none is due, the store is not asked. */
  private @Nullable NotSent notSent(String route, @Nullable OverdueView overdue) {
    if (overdue == null || overdue.phases().getOrDefault(Phase.DUE.code(), 0L) == 0) {
      return null;
    }
    MessageQuery earliest =
        MessageQuery.all().route(route).states(MessageState.PENDING).onlyOverdue().limit(EARLIEST);
    for (MessageSummary each : backend.store().summaries(earliest)) {
      StoredMessage stored = each.stored();
      String reason = stored.reason();
      if (reason != null && stored.attempts() > 0 && each.handler() == null) {
        ScheduledMessage message = stored.message();
        return new NotSent(
            message.exchange(), message.routingKey(), reason, stored.attempts(), stored.nextAt());
      }
    }
    return null;
  }

  private void addUnroutable(String route, Map<String, @Nullable Object> json) {
    Map<String, @Nullable Object> unroutable = new LinkedHashMap<>();
    try {
      Waiting all = deadLetters.unroutable();
      List<DeadLetter> here =
          all.messages().stream().filter(each -> route.equals(each.route())).toList();
      unroutable.put("known", true);
      unroutable.put("count", here.size());
      unroutable.put("reason", here.isEmpty() ? null : here.get(0).reason());
      unroutable.put("more", all.count() != null && all.count() > all.messages().size());
    } catch (Problem e) { // health says so
      unroutable.put("known", false);
      unroutable.put("count", 0);
      unroutable.put("reason", null);
      unroutable.put("more", false);
    }
    json.put("unroutable", unroutable);
  }

  /** The queue its messages are for; null if an exchange decides, or each message. */
  private static @Nullable String target(@Nullable DelayRoute route) {
    return route == null || !route.exchange().isEmpty() ? null : route.routingKey();
  }

  /** The exchange its messages go to; null for the default one. */
  private static @Nullable String exchange(@Nullable DelayRoute route) {
    return route == null || route.exchange().isEmpty() ? null : route.exchange();
  }

  /** The queues to ask for: a consumer has the name of its queue, unless it chose another. */
  private static Set<String> queues(@Nullable String target, List<ConsumerProgress> consumers) {
    Set<String> queues = new TreeSet<>();
    consumers.stream().limit(MOST_QUEUES).map(ConsumerProgress::consumer).forEach(queues::add);
    if (target != null) {
      queues.add(target);
    }
    return queues;
  }

  /** The strategies that hold its messages until they are due, in order of preference. */
  private Set<DelayStrategy> strategies(DelayRoute route) {
    if (route.tracking() == DelayRoute.Tracking.FULL) {
      return Set.of(DelayStrategy.STORE);
    }
    HoldOptions hold = backend.routes().hold();
    Set<DelayStrategy> strategies = new LinkedHashSet<>();
    if (route.strategy() != null) {
      strategies.add(route.strategy());
    }
    if (!route.delays().isEmpty()) {
      strategies.add(DelayStrategy.TTL_QUEUE);
    }
    if (hold.nativeMode() == HoldOptions.NativeMode.AUTO && backend.nativeHold().isUsable()) {
      strategies.add(DelayStrategy.DELIVERY_TIME);
    }
    strategies.add(DelayStrategy.QUEUE_WHEEL);
    return strategies;
  }
}
