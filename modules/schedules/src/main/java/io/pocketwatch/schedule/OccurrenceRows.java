// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.MessageProperties;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.Headers;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.schedule.Schedule.Overlap;
import io.pocketwatch.schedule.ScheduleException.ImpossibleScheduleException;
import io.pocketwatch.store.ScheduledMessage;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes the rows of occurrences, by the checks that every published message passes. No I/O. */
final class OccurrenceRows {
  private final DelayRoutes routes;
  private final Function<DelayedMessage, ScheduledMessage> prepare;

  OccurrenceRows(DelayRoutes routes, Function<DelayedMessage, ScheduledMessage> prepare) {
    this.routes = routes;
    this.prepare = prepare;
  }

  /**
   * The row of one occurrence.
   *
   * @throws ImpossibleScheduleException if its route is missing or unsuitable
   * @throws InvalidMessageException if its message could never be sent
   */
  ScheduledMessage row(Schedule schedule, String id, Instant occurrence, Instant deliverAt) {
    return rows(schedule).row(id, occurrence, deliverAt);
  }

  /** For several rows of one schedule, which share its payload. */
  Rows rows(Schedule schedule) {
    DelayRoute route = route(schedule);
    String exchange = schedule.exchange() == null ? route.exchange() : schedule.exchange();
    String key = Objects.requireNonNullElse(schedule.routingKey(), route.routingKey());
    Map<String, Object> headers = new LinkedHashMap<>(schedule.headers());
    headers.put(Headers.SCHEDULE, schedule.name());
    BasicProperties properties =
        MessageProperties.MINIMAL_PERSISTENT_BASIC
            .builder()
            .contentType(schedule.contentType())
            .headers(headers)
            .build();
    DelayedMessage message =
        DelayedMessage.to(exchange, key)
            .route(route.name())
            .properties(properties)
            .body(schedule.body());
    DelayedMessage named =
        schedule.businessKey() == null ? message : message.businessKey(schedule.businessKey());
    return (id, occurrence, deliverAt) ->
        prepare.apply(
            named.header(Headers.OCCURRENCE, occurrence.toString()).id(id).deliverAt(deliverAt));
  }

  private DelayRoute route(Schedule schedule) {
    String problem = problem(schedule);
    if (problem != null) {
      throw new ImpossibleScheduleException(schedule.name(), problem);
    }
    return Objects.requireNonNull(routes.named(schedule.route()));
  }

  /** Why its route is unsuitable, or null. */
  @Nullable String problem(Schedule schedule) {
    DelayRoute route = routes.named(schedule.route());
    if (route == null) {
      return "there is no route '%s'; configured: %s"
          .formatted(schedule.route(), routes.routes().stream().map(DelayRoute::name).toList());
    }
    if (!route.tracked()) {
      return "route '%s' is not tracked; set tracking: full or handoff on it"
          .formatted(route.name());
    }
    if (schedule.overlap() == Overlap.SKIP && route.tracking() != Tracking.FULL) {
      return "overlap: skip needs to know when a message is settled; set tracking: full on route"
          + " '%s'".formatted(route.name());
    }
    return schedule.routingKey() == null && route.routingKey() == null
        ? "route '%s' is for any routing-key; the schedule must name its own"
            .formatted(route.name())
        : null;
  }

  /** Makes the rows of one schedule. */
  @FunctionalInterface
  interface Rows {
    ScheduledMessage row(String id, Instant occurrence, Instant deliverAt);
  }
}
