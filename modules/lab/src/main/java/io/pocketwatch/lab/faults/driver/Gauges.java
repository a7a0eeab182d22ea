// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import io.pocketwatch.lab.faults.account.Tail;
import io.pocketwatch.lab.faults.level.Gauge;
import io.pocketwatch.lab.faults.level.Kind;
import io.pocketwatch.lab.faults.level.Part;
import io.pocketwatch.lab.faults.level.Sample;
import io.pocketwatch.lab.faults.process.Child;
import io.pocketwatch.lab.faults.process.Vitals;
import io.pocketwatch.localbroker.BrokerControlException;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads everything that is measured in an arena. For one thread. */
final class Gauges {
  /** All in one: every command line tool is a process of its own. */
  private static final String COUNTS =
      """
      {os:getpid(), erlang:system_info(process_count), length(rabbit_networking:connections()),
       length(rabbit_channel:list()), rabbit_amqqueue:count(),
       lists:sum([N || [{messages, N}] <- rabbit_amqqueue:info_all(<<"/">>, [messages]),
       is_integer(N)])}."""
          .replace('\n', ' ');

  /**
   * What leaves the table at leisure is not counted: finished, or handed to the broker for good.
   */
  private static final String ROWS =
      "SELECT COUNT(*) FROM pocketwatch_message WHERE finished_at IS NULL"
          + " AND (state <> 'HELD' OR tracking = 'FULL')";

  private static final Pattern NUMBER = Pattern.compile("\\d+");
  private static final List<Kind> COUNTED =
      List.of(Kind.PROCESSES, Kind.CONNECTIONS, Kind.CHANNELS, Kind.QUEUES, Kind.MESSAGES);

  private final Arena arena;
  private final Map<Part, Child> children;
  private final Map<Part, Tail> told = new EnumMap<>(Part.class);
  private final Map<Part, Vitals> latest = new EnumMap<>(Part.class);
  private Instant asked = Instant.EPOCH;

  Gauges(Arena arena) {
    this.arena = arena;
    this.children =
        Map.of(
            Part.PUBLISHER, arena.publisher,
            Part.LOADER, arena.loader,
            Part.CONSUMER, arena.consumer);
    children.forEach((part, child) -> told.put(part, new Tail(child.vitals())));
  }

  /** Asks the processes, which answer in a moment. */
  void ask() {
    asked = Instant.now();
    children.values().forEach(Child::askVitals);
  }

  /** Whether all have answered. */
  boolean answered() throws IOException {
    for (Map.Entry<Part, Tail> each : told.entrySet()) {
      for (String line : each.getValue().more()) {
        latest.put(each.getKey(), Vitals.parse(line));
      }
    }
    return latest.size() == children.size()
        && latest.values().stream().allMatch(vitals -> vitals.millis() >= asked.toEpochMilli());
  }

  /**
   * What they answered, and what broker and store say now.
   *
   * @param at since the beginning of the run
   */
  Sample read(Duration at) {
    Map<Gauge, Long> values = new HashMap<>();
    Map<Part, Long> lives = new EnumMap<>(Part.class);
    latest.forEach(
        (part, vitals) -> {
          values.put(new Gauge(part, Kind.HEAP), vitals.heapBytes());
          values.put(new Gauge(part, Kind.THREADS), (long) vitals.threads());
          values.put(new Gauge(part, Kind.FILES), vitals.files());
          lives.put(part, vitals.pid());
        });
    try {
      values.put(new Gauge(Part.BROKER, Kind.MEMORY), arena.node().residentBytes());
      List<Long> counts = numbers(arena.node().ctl("eval", COUNTS));
      lives.put(Part.BROKER, counts.get(0));
      for (int i = 0; i < COUNTED.size(); i++) {
        values.put(new Gauge(Part.BROKER, COUNTED.get(i)), counts.get(i + 1));
      }
      values.put(new Gauge(Part.STORE, Kind.ROWS), rows());
    } catch (BrokerControlException | SQLException e) {
      // Just being disturbed. Samples are many.
    }
    return new Sample(at, values, lives);
  }

  private long rows() throws SQLException {
    try (Connection connection = arena.store.pool().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(ROWS)) {
      row.next();
      return row.getLong(1);
    }
  }

  private static List<Long> numbers(String text) {
    Matcher matcher = NUMBER.matcher(text);
    List<Long> numbers = matcher.results().map(found -> Long.parseLong(found.group())).toList();
    if (numbers.size() != COUNTED.size() + 1) {
      throw new IllegalStateException("six numbers were expected, not " + text);
    }
    return numbers;
  }
}
