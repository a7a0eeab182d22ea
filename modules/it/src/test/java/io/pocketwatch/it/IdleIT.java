// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What a publisher with a store, its loader and its guard cost while nothing happens. */
@Tag("ci")
@EnabledOnOs(value = OS.LINUX, disabledReason = "it counts in /proc")
class IdleIT {
  /** They may fall; with what they are for they stand in HANDOFF.md and GUARD.md. */
  private static final int THREADS = 12;

  /** 4.7 were measured; on a busy machine locks of the database count, too. */
  private static final double WAKE_UPS = 8;

  @Test
  void few_threads_are_left_and_they_hardly_wake_up() throws Exception {
    try (World world = World.of(IdleIT.class)) {
      String target = world.target("idle");
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty(
                      "surefire.test.class.path", System.getProperty("java.class.path")),
                  IdleProcess.class.getName(),
                  world.node().amqpUri().toString(),
                  world.prefix(),
                  target)
              .redirectErrorStream(true)
              .start();
      List<String> said;
      try (var output = process.inputReader(StandardCharsets.UTF_8)) {
        said = output.lines().toList();
      }
      assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
      assertThat(number(said, "count: ")).as("%s", said).isBetween(1.0, (double) THREADS);
      assertThat(number(said, "wake-ups a second: ")).as("%s", said).isBetween(0.1, WAKE_UPS);
    }
  }

  private static double number(List<String> said, String what) {
    return said.stream()
        .filter(line -> line.startsWith(what))
        .mapToDouble(line -> Double.parseDouble(line.substring(what.length())))
        .findFirst()
        .orElseThrow(() -> new AssertionError(said));
  }
}
