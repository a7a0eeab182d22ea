// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Screen;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeoutException;

/** All rounds of a run, one after the other. */
final class Rounds {
  private final RunPlan plan;
  private final RunFolder folder;
  private final Screen screen;

  Rounds(RunPlan plan, RunFolder folder, Screen screen) {
    this.plan = plan;
    this.folder = folder;
    this.screen = screen;
  }

  FaultsReport run() throws IOException, TimeoutException, InterruptedException, SQLException {
    long began = System.nanoTime();
    Random random = new Random(plan.seed());
    FaultSchedule schedule = FaultSchedule.of(plan.kills(), plan.rounds(), plan.length(), random);
    screen.heading("Pocketwatch faults, seed " + plan.seed());
    screen.detail(
        "%s of %s messages within %d s each"
            .formatted(
                Numbers.of(plan.rounds(), "round"),
                Numbers.count(plan.messages()),
                plan.length().toSeconds()));
    screen.detail(plan.database().words());
    String run = "faults-" + Long.toString(System.currentTimeMillis(), 36) + "-";
    List<RoundResult> results = new ArrayList<>();
    String broker = "";
    String database = "";
    for (int round = 1; round <= plan.rounds(); round++) {
      List<Fault> faults = schedule.rounds().get(round - 1);
      announce(round, faults);
      Round.Outcome outcome =
          new Round(
                  new RoundPlan(
                      run + round + "-",
                      plan.messages(),
                      plan.length(),
                      faults,
                      plan.database(),
                      plan.brokerVersion(),
                      random.nextLong()),
                  folder.ofRound(round),
                  screen)
              .run();
      results.add(outcome.result());
      broker = outcome.broker();
      database = outcome.database();
      if (outcome.result().sound()) {
        folder.forgetRound(round);
      }
    }
    long seconds = Duration.ofNanos(System.nanoTime() - began).toSeconds();
    return new FaultsReport(
        plan.seed(), results, broker, database, plan.database().fault(), seconds);
  }

  private void announce(int round, List<Fault> faults) {
    screen.heading("Round " + round);
    for (Fault fault : faults) {
      String verb = fault.kind().verb(plan.database().fault());
      screen.detail(
          "planned at %s: %s the %s"
              .formatted(Numbers.seconds(fault.at()), verb, fault.kind().word()));
    }
  }
}
