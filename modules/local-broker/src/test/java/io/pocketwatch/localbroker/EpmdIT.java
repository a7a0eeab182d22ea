// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("ci")
class EpmdIT {
  private static final int NODES = 5;

  /** One was left behind by each cluster: its pid was overwritten by that of one that failed. */
  @Test
  void nodes_that_start_at_the_same_moment_share_one_that_can_be_ended(@TempDir Path folder)
      throws Exception {
    Environment base = Environment.ofProcess();
    RabbitHome home =
        new PackagesRung(base)
            .home(
                LocalBrokerOptions.defaults().withVersion("4.3").withPlugins(List.of()),
                line -> {});
    NodeGround ground = new NodeGround(folder, FreePorts.of(base).next(0));
    ground.prepare();
    ExecutorService threads = Executors.newFixedThreadPool(NODES);
    try {
      CompletableFuture.allOf(
              Stream.generate(
                      () -> CompletableFuture.runAsync(() -> ensure(base, home, ground), threads))
                  .limit(NODES)
                  .toArray(CompletableFuture<?>[]::new))
          .join();
      assertThat(Polling.accepts(ground.epmdPort())).isTrue();
    } finally {
      threads.shutdown();
      Epmd.end(ground);
    }
    assertThat(Polling.until(Duration.ofSeconds(10), () -> !Polling.accepts(ground.epmdPort())))
        .isTrue();
  }

  private static void ensure(Environment base, RabbitHome home, NodeGround ground) {
    try {
      Epmd.ensure(base, home, ground);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
