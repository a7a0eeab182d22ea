// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import com.rabbitmq.client.Connection;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.server.config.CallbackSettings;
import io.pocketwatch.server.kept.KeptMessage;
import io.pocketwatch.server.kept.KeptMessages;
import io.pocketwatch.server.kept.KeptQueue;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What waits for a person in queues: another try, for some seconds per request, or its end. Of the
 * callbacks without a row also why.
 */
final class KeptQueueResource {
  private static final long NANOS_PER_REQUEST = Duration.ofSeconds(5).toNanos();
  private static final Duration KEEP = Duration.ofSeconds(10);
  private static final int AT_A_TIME = 100;

  private final BrokerSide broker;
  private final HoldQueues counts;
  private final List<CallbackSettings> callbacks;
  private final Cached<Parked> parked = new Cached<>(KEEP, this::look);

  /** By queue, as last looked at: to look takes each message out for a moment. */
  private final Map<String, List<Group>> known = new HashMap<>();

  /**
   * @param counts is asked anew after it
   * @param callbacks the routes that call back
   */
  KeptQueueResource(BrokerSide broker, HoldQueues counts, List<CallbackSettings> callbacks) {
    this.broker = broker;
    this.counts = counts;
    this.callbacks = List.copyOf(callbacks);
  }

  void addTo(RoutesConfig routes) {
    routes.post(
        RestApi.ROOT + "/unroutable/send", context -> change(context, unroutable(context), true));
    routes.post(
        RestApi.ROOT + "/unroutable/delete",
        context -> change(context, unroutable(context), false));
    routes.post(
        RestApi.ROOT + "/parked/{route}/send", context -> change(context, parked(context), true));
    routes.post(
        RestApi.ROOT + "/parked/{route}/delete",
        context -> change(context, parked(context), false));
  }

  /**
   * Callbacks without a row, grouped.
   *
   * @param known whether the broker could be asked
   * @param groups the most frequent first
   */
  record Parked(boolean known, List<Group> groups) {}

  /**
   * Some of them.
   *
   * @param queue where they wait
   * @param count how many
   * @param reason null if it is not known: nobody wrote one, or the message is not one of the first
   *     100
   */
  record Group(String queue, String route, long count, @Nullable String reason) {}

  /** At most ten seconds old. */
  Parked parked() {
    return parked.get();
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
    for (KeptQueue queue : KeptQueue.parked(names(), callbacks)) {
      groups.addAll(groups(connection, queue));
    }
    groups.sort((one, other) -> Long.compare(other.count(), one.count()));
    return new Parked(true, groups);
  }

  private List<Group> groups(Connection connection, KeptQueue queue) throws IOException {
    try (KeptMessages messages = new KeptMessages(connection, names(), queue)) {
      long count = messages.count();
      List<Group> before = known.getOrDefault(queue.name(), List.of());
      if (before.stream().mapToLong(Group::count).sum() == count) {
        return before;
      }
      Map<String, Long> reasons = new LinkedHashMap<>();
      for (KeptMessage each : messages.first(AT_A_TIME)) {
        reasons.merge(each.reason() == null ? "" : each.reason(), 1L, Long::sum);
      }
      long seen = reasons.values().stream().mapToLong(Long::longValue).sum();
      if (count > seen) {
        reasons.merge("", count - seen, Long::sum);
      }
      List<Group> groups =
          reasons.entrySet().stream()
              .map(each -> group(queue, each.getKey(), each.getValue()))
              .toList();
      known.put(queue.name(), groups);
      return groups;
    }
  }

  private static Group group(KeptQueue queue, String reason, long count) {
    return new Group(
        queue.name(), String.valueOf(queue.route()), count, reason.isEmpty() ? null : reason);
  }

  private Names names() {
    return new Names(broker.routes().hold().namePrefix());
  }

  private KeptQueue unroutable(Context context) {
    Caller.of(context).requireAllRoutes();
    return KeptQueue.unroutable(names());
  }

  private KeptQueue parked(Context context) {
    String route = context.pathParam("route");
    Caller.of(context).requireRoute(route);
    return KeptQueue.parked(names(), callbacks).stream()
        .filter(each -> route.equals(each.route()))
        .findFirst()
        .orElseThrow(
            () -> Problem.of(ProblemType.NOT_FOUND, "no route '%s' calls back".formatted(route)));
  }

  private void change(Context context, KeptQueue queue, boolean send) {
    long end = System.nanoTime() + NANOS_PER_REQUEST;
    try {
      Object done =
          Channels.use(
              broker.connect("pocketwatch kept messages"),
              connection -> {
                try (KeptMessages messages = new KeptMessages(connection, names(), queue)) {
                  return send
                      ? messages.send(seen -> System.nanoTime() - end < 0)
                      : Map.of("deleted", messages.delete());
                } finally {
                  counts.forget();
                  parked.forget();
                }
              });
      Answers.json(context, 200, done);
    } catch (IOException | TimeoutException e) {
      throw Problem.of(
              ProblemType.BROKER_UNAVAILABLE,
              "the broker does not answer; what it has not confirmed is still in queue '%s'"
                  .formatted(queue.name()))
          .retryAfter(Failures.COME_AGAIN);
    }
  }
}
