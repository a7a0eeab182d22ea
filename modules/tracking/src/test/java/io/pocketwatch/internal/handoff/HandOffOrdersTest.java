// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.internal.handoff.HandOffWorld.Process;
import io.pocketwatch.internal.handoff.HandOffWorld.Row;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Orders of events drawn by lot. Whatever comes when, nothing is sent before its time or without a
 * lease. Nothing is sent twice but where an answer was lost or a clock was set. When all is well
 * again every row is sent or ended, and nothing waits anywhere.
 */
class HandOffOrdersTest {
  private static final int ORDERS = Integer.getInteger("pocketwatch.orders", 1_000);
  private static final long SEED = Long.getLong("pocketwatch.orders.seed", 1);
  private static final int STEPS = 60;
  private static final List<Cause> FAILURES =
      List.of(
          Cause.NO_ROUTE,
          Cause.NACKED,
          Cause.BLOCKED,
          Cause.NO_ROOM,
          Cause.CHANNEL_LOST,
          Cause.EXCHANGE_REFUSED);

  @Test
  void with_a_broker_and_a_store_that_work_each_is_sent_once_and_on_time() {
    for (int i = 0; i < ORDERS; i++) {
      new Order(SEED + i, false).run();
    }
  }

  @Test
  void whatever_fails_nothing_is_lost_or_early() {
    for (int i = 0; i < ORDERS; i++) {
      new Order(SEED + i, true).run();
    }
  }

  private static final class Order {
    private final long seed;
    private final boolean wild;
    private final Random random;
    private final HandOffWorld world;
    private final List<String> steps = new ArrayList<>();
    private int published;

    Order(long seed, boolean wild) {
      this.seed = seed;
      this.wild = wild;
      this.random = new Random(seed);
      this.world = new HandOffWorld(random);
    }

    void run() {
      for (int i = 0; i < STEPS && world.broken.isEmpty(); i++) {
        step();
        world.time.advance(Duration.ofMillis(random.nextInt(300)));
      }
      allIsWell();
      for (int i = 0; i < 2_000 && goesOn(); i++) {
        open().forEach(Process::look);
        world.time.advance(Duration.ofSeconds(1));
      }
      world.rows.values().stream()
          .filter(row -> row.state == MessageState.PENDING)
          .forEach(row -> world.broken.add("neither ended nor going on: " + row));
      world.rows.values().stream()
          .filter(row -> row.state == MessageState.HELD && row.confirmed == 0)
          .forEach(row -> world.broken.add("never sent: " + row));
      world.time.advance(Duration.ofMinutes(1));
      open().forEach(Process::requireEmpty);
      open().forEach(Process::close);
      world.time.runAll();
      if (!world.time.threadsLeft().isEmpty()) {
        world.broken.add("threads: " + world.time.threadsLeft());
      }
      assertThat(world.broken).as("seed %d: %s", seed, steps).isEmpty();
    }

    private List<Process> open() {
      return world.processes.stream().filter(each -> !each.closed).toList();
    }

    private boolean goesOn() {
      return world.rows.values().stream().anyMatch(row -> row.state == MessageState.PENDING);
    }

    private void step() {
      int what = random.nextInt(wild ? 20 : 12);
      Process process = open().get(random.nextInt(open().size()));
      if (what < 5) {
        String route = random.nextInt(4) == 0 ? HandOffWorld.AHEAD : HandOffWorld.WHEN_DUE;
        Duration delay = Duration.ofMillis(random.nextInt(4_000));
        did("publish in " + delay.toMillis());
        process.publish(route, "m" + published++, delay);
      } else if (what < 9) {
        did("look by " + process.name);
        process.look();
      } else if (what == 9) {
        Row row = any();
        if (row != null) {
          did("reschedule " + row);
          world.reschedule(row, Duration.ofMillis(random.nextInt(4_000)), process);
        }
      } else if (what == 10) {
        Row row = any();
        if (row != null) {
          did("cancel " + row);
          world.cancel(row);
        }
      } else if (what == 11) {
        world.time.advance(Duration.ofSeconds(random.nextInt(3)));
      } else {
        disturb(what, process);
      }
    }

    private void disturb(int what, Process process) {
      switch (what) {
        case 12, 13 -> {
          did("the store is away: " + !world.storeIsAway);
          world.storeIsAway = !world.storeIsAway;
        }
        case 14 -> {
          did("the store loses answers: " + !world.storeLosesAnswers);
          world.storeLosesAnswers = !world.storeLosesAnswers;
          world.rows.values().forEach(row -> row.mayRepeat = true);
        }
        case 15 -> {
          Cause cause = FAILURES.get(random.nextInt(FAILURES.size()));
          did("the broker says " + cause);
          world.answers = () -> random.nextBoolean() ? cause : Cause.NONE;
        }
        case 16 -> {
          did("the broker is silent");
          world.answers = () -> null;
        }
        case 17 -> {
          did("connected: " + !world.connected);
          world.connected = !world.connected;
        }
        case 18 -> {
          Duration by = Duration.ofSeconds(random.nextInt(120) - 60);
          did("the clock is set by " + by);
          world.setClock(by);
        }
        default -> {
          if (open().size() > 1) {
            did("closed: " + process.name);
            process.close();
          }
        }
      }
    }

    private void allIsWell() {
      world.storeIsAway = false;
      world.storeLosesAnswers = false;
      world.connected = true;
      world.answers = () -> Cause.NONE;
    }

    private Row any() {
      List<Row> all = List.copyOf(world.rows.values());
      return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
    }

    private void did(String what) {
      steps.add(what);
    }
  }
}
