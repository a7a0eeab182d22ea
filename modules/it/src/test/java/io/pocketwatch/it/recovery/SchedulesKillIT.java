// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.it.recovery.Effects.Effect;
import io.pocketwatch.schedule.Recurrence.Occurrence;
import io.pocketwatch.schedule.Schedule;
import io.pocketwatch.schedule.Schedule.CatchUp;
import io.pocketwatch.schedule.ScheduleView;
import io.pocketwatch.schedule.Schedules;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Three processes with a loader and a runner are killed, and their connections to the database
 * ended, while schedules fire: every occurrence is there once, none early, and what nobody fired in
 * time fires as {@code catch-up} says. {@code -Dschedules.count=200 -Dschedules.kills=20
 * -Dschedules.between=28} is the long run.
 */
@Tag("wide")
class SchedulesKillIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  private static final Logger LOG = LoggerFactory.getLogger(SchedulesKillIT.class);
  private static final int SCHEDULES = Integer.getInteger("schedules.count", 24);
  private static final int KILLS = Integer.getInteger("schedules.kills", 3);
  private static final Duration BETWEEN =
      Duration.ofSeconds(Integer.getInteger("schedules.between", 6));
  private static final int PROCESSES = 3;

  /** Longer than what is fired ahead and what counts as in time, together. */
  private static final Duration NOBODY = Duration.ofSeconds(30);

  @TempDir Path folder;
  private int started;

  @Test
  void every_occurrence_fires_once() throws Exception {
    try (RecoveryWorld world =
        new RecoveryWorld(BROKER::connectionFactory, KillableProcess.OPTIONS)) {
      Effects effects = world.effects();
      world.workers(4, effects);
      Schedules schedules = Schedules.of(world.publisher());
      Instant end =
          world
              .store()
              .now()
              .truncatedTo(ChronoUnit.SECONDS)
              .plus(BETWEEN.multipliedBy(KILLS + 1L))
              .plus(NOBODY)
              .plusSeconds(30);
      Map<String, ScheduleView> put = new TreeMap<>();
      for (int i = 0; i < SCHEDULES; i++) {
        put.put("s" + i, schedules.put(schedule(i, end), "test"));
      }
      List<Process> running = new ArrayList<>();
      try {
        for (int i = 0; i < PROCESSES; i++) {
          running.add(start(world));
        }
        for (int kill = 0; kill < KILLS; kill++) {
          awaitInstant(Instant.now().plus(BETWEEN));
          running.get(kill % PROCESSES).destroyForcibly().waitFor();
          running.set(kill % PROCESSES, start(world));
          endConnections(world.databaseUrl());
          if (kill == KILLS / 2) {
            killAll(running);
            awaitInstant(Instant.now().plus(NOBODY));
            for (int i = 0; i < PROCESSES; i++) {
              running.set(i, start(world));
            }
          }
        }
        await()
            .atMost(BETWEEN.multipliedBy(KILLS).plusMinutes(10))
            .pollInterval(Duration.ofSeconds(1))
            .until(
                () ->
                    schedules.list().stream().allMatch(ScheduleView::ended)
                        && world.count(MessageState.PENDING, MessageState.HELD) == 0);
      } finally {
        killAll(running);
      }
      check(put, schedules, effects);
    }
  }

  /** Half of them each second, the others each minute; a third for each way to catch up. */
  private static Schedule schedule(int number, Instant end) {
    Schedule.Builder schedule =
        Schedule.named("s" + number)
            .route(RecoveryWorld.ROUTE)
            .ends(LocalDateTime.ofInstant(end, ZoneOffset.UTC))
            .catchUp(CatchUp.values()[number % 3]);
    return (number % 2 == 0 ? schedule.every(Duration.ofSeconds(1)) : schedule.cron("* * * * *"))
        .build();
  }

  private static void check(Map<String, ScheduleView> put, Schedules schedules, Effects effects)
      throws SQLException {
    Map<String, List<String>> bySchedule =
        effects.all().keySet().stream()
            .collect(Collectors.groupingBy(id -> id.substring(0, id.indexOf('@'))));
    long missed = 0;
    for (ScheduleView each : schedules.list()) {
      StoredSchedule stored = each.stored();
      Instant began = put.get(stored.name()).stored().createdAt();
      List<String> all =
          each.schedule().recurrence().next(began, 100_000).stream()
              .map(Occurrence::at)
              .map(at -> stored.name() + "@" + at)
              .toList();
      TreeSet<String> fired = new TreeSet<>(bySchedule.getOrDefault(stored.name(), List.of()));
      if (each.schedule().catchUp() == CatchUp.ALL) {
        assertThat(fired).containsExactlyInAnyOrderElementsOf(all);
      }
      assertThat(all).containsAll(fired);
      assertThat(stored.fired()).as(stored.name()).isEqualTo(fired.size());
      assertThat(stored.fired() + stored.missed()).as(stored.name()).isEqualTo(all.size());
      if (each.schedule().every() != null && each.schedule().catchUp() != CatchUp.ALL) {
        assertThat(stored.missed()).as(stored.name()).isPositive();
      }
      missed += stored.missed();
    }
    long early =
        effects.all().entrySet().stream()
            .filter(each -> isEarly(each.getKey(), each.getValue()))
            .count();
    LOG.info(
        "{} schedules, {} kills: {} occurrences fired, {} missed, {} early",
        SCHEDULES,
        KILLS,
        effects.count(),
        missed,
        early);
    assertThat(early).isZero();
    assertThat(effects.second()).isZero();
  }

  private static boolean isEarly(String id, Effect effect) {
    Instant occurrence = Instant.parse(id.substring(id.indexOf('@') + 1));
    return effect.handledAt().isBefore(occurrence) || effect.latenessMillis() < 0;
  }

  private static void awaitInstant(Instant instant) {
    await()
        .atMost(BETWEEN.plus(NOBODY).plusMinutes(1))
        .pollInterval(Duration.ofMillis(100))
        .until(() -> Instant.now().isAfter(instant));
  }

  private static void killAll(List<Process> processes) throws InterruptedException {
    for (Process process : processes) {
      process.destroyForcibly().waitFor();
    }
  }

  private static void endConnections(String databaseUrl) throws SQLException {
    try (Connection connection = DriverManager.getConnection(databaseUrl);
        Statement statement = connection.createStatement()) {
      statement.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '"
              + FiringProcess.NAME
              + "' AND datname = current_database()");
    }
  }

  private Process start(RecoveryWorld world) throws Exception {
    Path log = folder.resolve("process-" + started++ + ".log");
    String uri = KillableProcess.uri(BROKER.connectionFactory());
    return KillableProcess.start(FiringProcess.class, log, uri, world.databaseUrl());
  }
}
