// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.lab.faults.account.RoundResult;
import io.pocketwatch.lab.faults.report.FaultsReport;
import io.pocketwatch.localbroker.BrokerUnavailableException;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** All rounds of a run, one after the other; a new arena for each that needs another. */
public final class Rounds implements AutoCloseable {
  private final RunPlan plan;
  private final RunFolder folder;
  private final Screen screen;
  private final Random random;
  private @Nullable Arena arena;
  private int arenas;

  public Rounds(RunPlan plan, RunFolder folder, Screen screen) {
    this.plan = plan;
    this.folder = folder;
    this.screen = screen;
    this.random = new Random(plan.seed());
  }

  /** Runs them all, also when one breaks a promise. */
  public FaultsReport run()
      throws IOException, TimeoutException, InterruptedException, SQLException {
    long began = System.nanoTime();
    screen.heading("Pocketwatch faults, seed " + plan.seed());
    screen.detail(
        "%s of %s messages within %s s each"
            .formatted(
                Numbers.of(plan.rounds().size(), "round"),
                Numbers.count(plan.messages()),
                plan.length().toSeconds()));
    screen.detail(plan.database().words());
    String run = "f" + Long.toString(System.currentTimeMillis(), 36) + "-";
    List<RoundResult> results = new ArrayList<>();
    Set<String> skipped = new TreeSet<>();
    String broker = "";
    String database = "";
    for (int i = 0; i < plan.rounds().size(); i++) {
      RoundPlan round = plan.rounds().get(i);
      announce(i + 1, round);
      RoundResult result;
      try {
        Arena here = arenaFor(round);
        broker = here.node().version();
        database = here.store.store().describe();
        ArenaWorld world = new ArenaWorld(here, random, plan.brief(), screen::detail);
        result =
            Round.run(
                here,
                round,
                run + (i + 1) + "-",
                plan,
                random.nextLong(),
                new Strikes.Maker(world, screen));
      } catch (IOException | TimeoutException | SQLException | RuntimeException e) {
        if (e instanceof BrokerUnavailableException) {
          if (!round.place().settableClock()) {
            throw e;
          }
          skipped.add(round.name());
          screen.failure("NOT RUN, for want of a broker: " + round.name());
          screen.detail(ErrorWords.of(e));
          continue;
        }
        result =
            RoundResult.failed(
                round.name(), round.hold(), "could not be judged: " + ErrorWords.of(e));
      }
      results.add(result);
      tell(result);
      if (round.once()) {
        close();
      }
    }
    if (results.isEmpty()) {
      throw new CommandFailedException(ExitCodes.NO_BROKER, "no round could be run: see above");
    }
    long seconds = Duration.ofNanos(System.nanoTime() - began).toSeconds();
    return new FaultsReport(
        plan.seed(), results, skipped, broker, database, plan.database().fault(), seconds);
  }

  private void announce(int number, RoundPlan round) {
    screen.heading(
        "Round %s of %s, %s hold queues"
            .formatted(number, plan.rounds().size(), round.hold().name().toLowerCase(Locale.ROOT)));
    for (RoundPlan.Strike strike : round.strikes()) {
      screen.detail(
          "planned at %s: %s".formatted(Numbers.seconds(strike.at()), strike.fault().name()));
    }
  }

  private void tell(RoundResult result) throws IOException {
    if (result.sound()) {
      screen.detail(
          "kept; worst lateness %s ms, of %s"
              .formatted(Numbers.count(result.worstLatenessMs()), result.latest()));
      return;
    }
    result.broken().forEach(screen::failure);
    if (arena != null) {
      arena.noteBroker();
    }
    // Whatever came of it must not be held against the next round. The files stay.
    close();
    folder.keep();
  }

  private Arena arenaFor(RoundPlan round)
      throws IOException, TimeoutException, InterruptedException, SQLException {
    Arena now = arena;
    Ground ground = Ground.of(round.place(), round.hold(), plan.database(), plan.brokerVersion());
    if (now != null && now.ground.equals(ground)) {
      return now;
    }
    close();
    screen.detail("starting broker, database, publisher, loader and consumer");
    Arena next = Arena.open(folder.ofArena(++arenas), ground);
    arena = next;
    try {
      next.awaitReady();
    } catch (CommandFailedException e) {
      folder.keep();
      throw e;
    }
    return next;
  }

  @Override
  public void close() {
    if (arena != null) {
      arena.close();
      arena = null;
    }
  }
}
