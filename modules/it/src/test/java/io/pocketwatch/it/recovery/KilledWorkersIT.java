// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.recovery;

import static io.pocketwatch.it.recovery.RecoveryWorld.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.it.recovery.Effects.Effect;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes with a loader and consumers are killed while their messages come due: each effect is
 * there once. {@code -Drecovery.effects=30000 -Drecovery.kills=20} is the long run.
 */
@Tag("wide")
class KilledWorkersIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  private static final Logger LOG = LoggerFactory.getLogger(KilledWorkersIT.class);
  private static final int MESSAGES = Integer.getInteger("recovery.effects", 3_000);
  private static final int KILLS = Integer.getInteger("recovery.kills", 4);
  private static final int PROCESSES = 2;
  private static final Duration BETWEEN = Duration.ofSeconds(6);

  @TempDir Path folder;

  @Test
  void every_effect_is_there_once() throws Exception {
    try (RecoveryWorld world =
        new RecoveryWorld(BROKER::connectionFactory, KillableProcess.OPTIONS)) {
      Effects effects = world.effects();
      Random random = new Random(7);
      Duration span = BETWEEN.multipliedBy(KILLS + 1L);
      Instant first = world.store().now().plusSeconds(10);
      world.publish(
          MESSAGES,
          i ->
              message("m-" + i).deliverAt(first.plusMillis(random.nextInt((int) span.toMillis()))));
      List<Path> logs = new ArrayList<>();
      List<Process> running = new ArrayList<>();
      try {
        for (int i = 0; i < PROCESSES; i++) {
          running.add(start(world, logs));
        }
        for (int kill = 0; kill < KILLS; kill++) {
          int before = effects.count();
          Instant next = Instant.now().plus(BETWEEN);
          await() // amid its work: the next kill is due, and something was handled since
              .atMost(Duration.ofMinutes(2))
              .pollInterval(Duration.ofMillis(100))
              .until(() -> Instant.now().isAfter(next) && effects.count() > before);
          running.get(kill % PROCESSES).destroyForcibly().waitFor();
          running.set(kill % PROCESSES, start(world, logs));
        }
        await()
            .atMost(Duration.ofMinutes(5))
            .pollInterval(Duration.ofMillis(500))
            .until(() -> world.count(MessageState.SETTLED) == MESSAGES);
      } finally {
        for (Process process : running) {
          process.destroyForcibly().waitFor();
        }
      }
      Map<String, Effect> all = effects.all();
      long early = all.values().stream().filter(each -> each.latenessMillis() < 0).count();
      LOG.info(
          "{} messages, {} kills of processes, {} effects, {} early, the latest after {} ms",
          MESSAGES,
          KILLS,
          all.size(),
          early,
          all.values().stream().mapToLong(Effect::latenessMillis).max().orElse(0));
      assertThat(all).hasSize(MESSAGES);
      assertThat(early).isZero();
      for (Path log : logs) {
        assertThat(Files.readString(log)).doesNotContain(KillableProcess.SECOND);
      }
    }
  }

  private Process start(RecoveryWorld world, List<Path> logs) throws Exception {
    Path log = folder.resolve("process-" + logs.size() + ".log");
    logs.add(log);
    String uri = KillableProcess.uri(BROKER.connectionFactory());
    return KillableProcess.start(KillableProcess.class, log, uri, world.databaseUrl());
  }
}
