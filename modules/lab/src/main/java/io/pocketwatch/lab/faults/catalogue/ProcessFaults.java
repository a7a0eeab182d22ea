// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.catalogue;

import io.pocketwatch.lab.faults.process.Child;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Publisher, consumer, loader and database. */
final class ProcessFaults {
  private static final Duration TOGETHER = Duration.ofSeconds(8);
  private static final Duration FROZEN = Duration.ofSeconds(60);
  private static final Duration STEP = Duration.ofHours(1);
  private static final Duration WRONG = Duration.ofSeconds(8);

  private ProcessFaults() {}

  static List<Fault> all() {
    return List.of(
        Fault.onNode(
            "publisher-killed",
            "the publishing process is killed, and sends again what it got no answer for",
            world -> world.publisher().killAndStart()),
        Fault.onNode(
            "consumer-killed",
            "the consuming process is killed and started again",
            world -> world.consumer().killAndStart()),
        Fault.onNode(
            "loader-killed",
            "the loader is killed and started again",
            world -> world.loader().killAndStart()),
        Fault.onNode(
            "loader-twice",
            "a second loader runs beside the first, is killed, and runs again",
            world -> {
              try (Child second = world.oneMoreLoader()) {
                world.last(TOGETHER);
                second.killAndStart();
                world.last(TOGETHER);
              }
            }),
        Fault.onNode(
            "database-killed",
            "the database is killed and started again (H2: stopped in order)",
            World::disturbDatabase),
        Fault.onNode(
            "database-paused",
            "the database's processes are frozen (SIGSTOP) for 60 s",
            world -> {
              world.pauseDatabase();
              try {
                world.last(FROZEN);
              } finally {
                world.resumeDatabase();
              }
            }),
        Fault.onNode(
            "clock-ahead",
            "the publishing machine's clock is set an hour forward, and back",
            world -> wrongClock(world, STEP)),
        Fault.onNode(
            "clock-behind",
            "the publishing machine's clock is set an hour back, and forward",
            world -> wrongClock(world, STEP.negated())));
  }

  private static void wrongClock(World world, Duration step)
      throws IOException, InterruptedException {
    world.stepClock(step);
    world.last(WRONG);
    world.stepClock(step.negated());
  }
}
