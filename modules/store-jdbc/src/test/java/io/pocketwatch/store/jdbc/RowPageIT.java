// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.LoadingStore;
import io.pocketwatch.store.SchedulingStore;
import io.pocketwatch.store.SchedulingStore.MessageChange;
import io.pocketwatch.store.SettlingStore;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.jdbc.RowPage.Station;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** ROW.md of tracking says what the code does, and no more. */
class RowPageIT {
  /** What the store is asked without a change of a row. */
  private static final Set<String> QUESTIONS =
      Set.of(
          "find",
          "list",
          "count",
          "routesDue",
          "overdue",
          "rollUp",
          "adoptBroker",
          "broker",
          "heartbeat",
          "heartbeats",
          "noteBroker",
          "now");

  /** What else a call may be given, and is another station for. */
  private static final Map<String, List<String>> KINDS =
      Map.of(
          "conclude", names(Conclusion.Kind.values()),
          "end", names(Ending.Kind.values()),
          "changeMany", names(MessageChange.Kind.values()));

  private static final Map<String, String> FURTHER = Map.of("insert", "lease", "begin", "early");

  private final List<Station> page = RowPage.stations(RowWay.byWords().keySet());

  private static List<String> names(Enum<?>[] values) {
    return Arrays.stream(values).map(Enum::name).toList();
  }

  @Test
  void the_page_has_every_station_of_the_code_and_no_other() {
    Set<String> declared =
        Stream.of(SchedulingStore.class, LoadingStore.class, SettlingStore.class)
            .flatMap(each -> Arrays.stream(each.getDeclaredMethods()))
            .filter(each -> Modifier.isAbstract(each.getModifiers()))
            .map(Method::getName)
            .collect(Collectors.toSet());
    Set<String> stations = new TreeSet<>();
    for (String each : declared) {
      if (KINDS.containsKey(each)) {
        KINDS.get(each).forEach(kind -> stations.add(each + " " + kind));
      } else if (!QUESTIONS.contains(each)) {
        stations.add(each);
      }
      if (FURTHER.containsKey(each)) {
        stations.add(each + " " + FURTHER.get(each));
      }
    }

    assertThat(declared).as("calls of the store").containsAll(QUESTIONS);
    assertThat(page.stream().flatMap(each -> each.names().stream()).collect(Collectors.toSet()))
        .as("stations on the page")
        .isEqualTo(stations);
    assertThat(RowVisit.STATIONS.keySet()).as("stations that are tried").isEqualTo(stations);
  }

  @Test
  void the_page_names_statements_that_there_are() {
    for (Station each : page) {
      assertThat(each.statement().isEmpty()).as(each.toString()).isEqualTo(each.from().isEmpty());
      if (!each.statement().isEmpty()) {
        assertThat(members(each.statement())).as(each.toString()).isNotEmpty();
      }
    }
  }

  private static List<String> members(String statement) {
    int dot = statement.indexOf('.');
    String name = statement.substring(dot + 1);
    try {
      Class<?> type =
          Class.forName(RowPageIT.class.getPackageName() + "." + statement.substring(0, dot));
      return Stream.concat(
              Arrays.stream(type.getDeclaredFields()), Arrays.stream(type.getDeclaredMethods()))
          .map(Member::getName)
          .filter(name::equals)
          .toList();
    } catch (ClassNotFoundException e) {
      return List.of();
    }
  }

  @Test
  void each_station_does_in_each_way_what_the_page_says_and_else_nothing() throws SQLException {
    List<String> other = new ArrayList<>();
    int tried = 0;
    try (TestDatabase database = TestDatabases.h2();
        HikariDataSource pool = JdbcStoreIT.pool(database.url())) {
      JdbcSchema.create(pool);
      JdbcDelayStore store = JdbcDelayStore.builder(pool).build();
      for (String station : RowVisit.STATIONS.keySet()) {
        for (RowWay from : RowWay.values()) {
          RowVisit visit = new RowVisit(store, pool, "m" + tried++);
          String done = done(visit, station, from);
          String said = said(station, from);
          if (!done.equals(said)) {
            other.add(
                "%s, %s: leads to '%s', and on the page to '%s'"
                    .formatted(station, from.words, done, said));
          }
        }
      }
    }
    assertThat(other).as("what the page says otherwise").isEmpty();
  }

  private static String done(RowVisit visit, String station, RowWay from) {
    from.there.accept(visit);
    visit.ready(station);
    Map<String, Object> before = visit.row();
    assertThat(RowWay.of(before)).as("the way there: " + before).isEqualTo(from);
    Objects.requireNonNull(RowVisit.STATIONS.get(station)).accept(visit);
    Map<String, Object> after = visit.row();
    return same(before, after) ? "" : RowWay.of(after).words;
  }

  /** In every column; time passes. */
  private static boolean same(Map<String, Object> before, Map<String, Object> after) {
    Map<String, Object> one = new HashMap<>(before);
    Map<String, Object> other = new HashMap<>(after);
    one.remove("now");
    other.remove("now");
    return one.equals(other);
  }

  private String said(String station, RowWay from) {
    List<String> to = new ArrayList<>();
    for (Station each : page) {
      if (each.names().contains(station) && each.from().contains(from.words)) {
        to.add(each.to().equals(RowPage.SAME) ? from.words.replace("late ", "") : each.to());
      }
    }
    return String.join(" and ", to);
  }
}
