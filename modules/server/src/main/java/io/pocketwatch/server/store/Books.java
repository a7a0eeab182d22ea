// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.store;

import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.StorePolicy.Tracking;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.TextTable;
import io.pocketwatch.server.store.StoreVerb.Asked;
import io.pocketwatch.store.LoadingStore.DayBooks;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The books of all routes for a day.
 *
 * @param day the day
 * @param zone whose day
 * @param over whether it has ended
 * @param routes per route, by name
 * @param open what was due before now and is still under way
 */
record Books(LocalDate day, ZoneId zone, boolean over, List<DayBooks> routes, long open) {
  static Books open(Asked asked, LocalDate day, Instant now) {
    ZoneId zone = asked.moments().zone();
    Instant from = day.atStartOfDay(zone).toInstant();
    Instant until = day.plusDays(1).atStartOfDay(zone).toInstant();
    List<DayBooks> routes =
        asked.store().books(from, until).stream()
            .sorted(Comparator.comparing(DayBooks::route))
            .toList();
    Instant past = until.isBefore(now) ? until : now;
    long open = 0;
    if (from.isBefore(past)) {
      for (DayBooks each : routes) {
        DelayRoute route = asked.file().routes().named(each.route());
        boolean full = route != null && route.store().tracking() == Tracking.FULL;
        Set<MessageState> underWay =
            full ? Set.of(MessageState.PENDING, MessageState.HELD) : Set.of(MessageState.PENDING);
        open +=
            asked
                .store()
                .count(new MessageQuery(each.route(), underWay, null, null, from, past, null, 1));
      }
    }
    return new Books(day, zone, !until.isAfter(now), routes, open);
  }

  List<String> table() {
    TextTable table =
        new TextTable(
            "route", "scheduled", "settled", "cancelled", "failed", "parked", "held", "pending");
    routes.forEach(each -> row(table, each));
    row(table, total());
    return table.lines();
  }

  private static void row(TextTable table, DayBooks books) {
    table.row(
        books.route(),
        Numbers.count(books.scheduled()),
        number(books, MessageState.SETTLED),
        number(books, MessageState.CANCELLED),
        number(books, MessageState.FAILED),
        number(books, MessageState.PARKED),
        number(books, MessageState.HELD),
        number(books, MessageState.PENDING));
  }

  private static String number(DayBooks books, MessageState state) {
    return Numbers.count(books.byState().getOrDefault(state, 0L));
  }

  private DayBooks total() {
    Map<MessageState, Long> byState = new EnumMap<>(MessageState.class);
    routes.forEach(
        each -> each.byState().forEach((state, number) -> byState.merge(state, number, Long::sum)));
    return new DayBooks("all", routes.stream().mapToLong(DayBooks::scheduled).sum(), byState);
  }

  boolean balanced() {
    return open == 0 && routes.stream().allMatch(DayBooks::balanced);
  }

  String verdict() {
    List<String> wrong =
        routes.stream().filter(each -> !each.balanced()).map(DayBooks::route).toList();
    if (!wrong.isEmpty()) {
      return "The books of %s do not balance: the states of %s do not add up to what was scheduled."
          .formatted(day, String.join(", ", wrong));
    }
    if (open > 0) {
      return "The books of %s do not balance: %s due before now, still under way."
          .formatted(day, Numbers.of(open, "message"));
    }
    long scheduled = total().scheduled();
    if (scheduled == 0) {
      return "Nothing was due on %s (%s).".formatted(day, zoneName());
    }
    return "The books of %s (%s) balance: all %s accounted for%s."
        .formatted(
            day, zoneName(), Numbers.of(scheduled, "message"), over ? "" : "; the day is not over");
  }

  private String zoneName() {
    return zone.getId().equals("Z") ? "UTC" : zone.getId();
  }

  Map<String, Object> json() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("day", day.toString());
    object.put("zone", zoneName());
    object.put("over", over);
    object.put("balanced", balanced());
    object.put("stillUnderWay", open);
    object.put("total", json(total()));
    Map<String, Object> perRoute = new LinkedHashMap<>();
    routes.forEach(each -> perRoute.put(each.route(), json(each)));
    object.put("routes", perRoute);
    return object;
  }

  private static Map<String, Long> json(DayBooks books) {
    Map<String, Long> object = new LinkedHashMap<>();
    object.put("scheduled", books.scheduled());
    for (MessageState state : MessageState.values()) {
      object.put(state.name().toLowerCase(Locale.ROOT), books.byState().getOrDefault(state, 0L));
    }
    return object;
  }
}
