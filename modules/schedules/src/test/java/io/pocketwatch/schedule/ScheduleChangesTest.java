// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.schedule.Recurrence.Occurrence;
import io.pocketwatch.schedule.Schedule.Builder;
import io.pocketwatch.schedule.Schedule.CatchUp;
import io.pocketwatch.schedule.Schedule.Overlap;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Whatever happens in whatever order, each instant of the definition that counted then has fired,
 * or is counted as missed or skipped: exactly once. What was sent ahead and could not be taken back
 * says until when the definition before counts. {@code -Dschedules.scripts=2000} plays more.
 */
class ScheduleChangesTest {
  private static final int SCRIPTS = Integer.getInteger("schedules.scripts", 40);
  private static final int STEPS = 60;
  private static final String NAME = "s";

  @Test
  void each_instant_counts_once_in_any_order_of_changes_and_passes() {
    for (int seed = 0; seed < SCRIPTS; seed++) {
      new Script(seed).play();
    }
  }

  /** A stretch of time in which one definition counts: after the one instant, until the other. */
  private record Stretch(Schedule schedule, Instant after, @Nullable Instant until) {}

  private static final class Script {
    private final MemoryScheduleStore store = new MemoryScheduleStore();
    private final Schedules schedules = store.facade();
    private final SchedulesRunner runner = SchedulesRunner.of(schedules);
    private final List<Stretch> stretches = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final Random random;
    private Schedule current;
    private @Nullable Instant pausedUntil;
    private boolean paused;
    private boolean orphaned;
    private int edits;
    private int runs;

    Script(int seed) {
      random = new Random(seed);
      told.add("seed " + seed);
      current = definition();
      schedules.apply("yaml", List.of(current), "node");
      begin(store.now);
    }

    void play() {
      for (int step = 0; step < STEPS; step++) {
        store.now = store.now.plusMillis(outage() ? 20_000 + random.nextInt(40_000) : 900);
        switch (random.nextInt(12)) {
          case 0, 1, 2, 3 -> tell("pass", this::pass);
          case 4 -> tell("handed off", () -> handOff(false));
          case 5 -> tell("settled", () -> handOff(true));
          case 6 -> tell("given back", this::giveBack);
          case 7, 8 -> tell("edit", this::edit);
          case 9 -> tell("pause", this::pause);
          case 10 -> tell("resume", this::resume);
          default -> tell("other", this::other);
        }
      }
      pass();
      check();
    }

    private boolean outage() {
      return random.nextInt(15) == 0;
    }

    private void tell(String what, Runnable step) {
      told.add("%s %s of %s".formatted(store.now, what, current.toJson()));
      step.run();
    }

    private void pass() {
      ending();
      while (runner.pass()) {
        continue;
      }
      check();
    }

    /** A loader takes what is next, and a consumer what is due; it has ended at once. */
    private void handOff(boolean settled) {
      for (String id : store.rows.keySet()) {
        if (!id.startsWith(NAME + "@2") || store.ended.contains(id)) {
          continue;
        }
        boolean due = !instant(id).isAfter(store.now);
        if (settled && due) {
          store.states.put(id, MessageState.SETTLED);
          if (random.nextBoolean()) {
            store.ended.add(id);
          }
        } else if (!settled && random.nextBoolean()) {
          store.states.putIfAbsent(id, MessageState.HELD);
        }
      }
    }

    private void giveBack() {
      store
          .states
          .entrySet()
          .removeIf(each -> each.getValue() == MessageState.HELD && random.nextBoolean());
    }

    private void edit() {
      ending();
      current = definition();
      orphaned = false;
      boolean back = paused && gone();
      schedules.apply("yaml", List.of(current), "node");
      end();
      if (!paused || back) {
        begin(store.now);
      }
      check();
    }

    private void pause() {
      if (orphaned) {
        return;
      }
      ending();
      Instant until = random.nextBoolean() ? null : store.now.plusSeconds(random.nextInt(30) + 1);
      schedules.pause(NAME, null, until, null);
      end();
      paused = true;
      pausedUntil = until;
      check();
    }

    private void resume() {
      if (orphaned) {
        return;
      }
      boolean was = paused;
      ending();
      schedules.resume(NAME, null);
      if (paused) {
        end();
        begin(store.now);
      }
      if (was) { // else nothing has been changed, nor fired
        check();
      }
    }

    private void other() {
      if (random.nextBoolean()) {
        schedules.run(NAME, "k" + runs++, null);
        return; // no occurrence has fired by it
      }
      ending();
      schedules.apply("yaml", List.of(), "node");
      end();
      orphaned = true;
      paused = true;
      pausedUntil = null;
      check();
    }

    private boolean gone() {
      return "gone from YAML".equals(store.schedules.get(NAME).note());
    }

    /** A pause that was to end by itself has, by whatever comes first after that. */
    private void ending() {
      if (paused && pausedUntil != null && !pausedUntil.isAfter(store.now)) {
        begin(pausedUntil.minusNanos(1));
      }
    }

    private void begin(Instant from) {
      paused = false;
      pausedUntil = null;
      stretches.add(new Stretch(current, later(from, lastSent()), null));
    }

    /** Now, or where what was sent ahead says. */
    private void end() {
      Instant until = later(store.now, lastSent());
      stretches.replaceAll(
          each ->
              each.until() == null || each.until().isAfter(until)
                  ? new Stretch(each.schedule(), each.after(), until)
                  : each);
    }

    private Instant lastSent() {
      return store.rows.keySet().stream()
          .filter(id -> id.startsWith(NAME + "@2"))
          .map(Script::instant)
          .max(Instant::compareTo)
          .orElse(Instant.EPOCH);
    }

    private void check() {
      StoredSchedule stored = store.schedules.get(NAME);
      Instant until = later(store.now, lastSent());
      TreeSet<Instant> expected = new TreeSet<>();
      for (Stretch each : stretches) {
        Instant last = each.until() == null ? until : each.until();
        each.schedule().recurrence().next(each.after(), 1_000).stream()
            .map(Occurrence::at)
            .takeWhile(at -> !at.isAfter(last))
            .forEach(at -> assertThat(expected.add(at)).as("%s %s", at, told).isTrue());
      }
      assertThat(stored.fired() + stored.missed() + stored.skipped())
          .as("%s", told)
          .isEqualTo(expected.size());
      assertThat(stored.fired() + runs).as("%s", told).isEqualTo(store.rows.size());
    }

    private Schedule definition() {
      Builder schedule =
          Schedule.named(NAME)
              .route("reports")
              .every(Duration.ofSeconds(1 + random.nextInt(6)))
              .overlap(Overlap.values()[random.nextInt(2)])
              .catchUp(CatchUp.values()[random.nextInt(3)])
              .catchUpWindow(Duration.ofSeconds(30))
              .body("edit " + edits++);
      return schedule.build();
    }

    private static Instant instant(String id) {
      return Instant.parse(id.substring(id.indexOf('@') + 1));
    }

    private static Instant later(Instant one, Instant other) {
      return one.isAfter(other) ? one : other;
    }
  }
}
