// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.loader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.loader.LoadReport;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabases;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several loaders at one table. */
@Tag("wide")
class ManyLoadersIT {
  private static final int ROWS = 50_000;

  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.version("4.3");

  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void share_the_rows_and_hand_over_each_once(int count) throws Exception {
    try (World world =
        World.of(
            BROKER.connectionFactory(),
            TestDatabases.postgresql(),
            Tracking.HANDOFF,
            options -> options.toBuilder().batch(500).build())) {
      world.insert(ROWS, world.store.now());
      List<Loader> loaders = Stream.generate(world::distantLoader).limit(count).toList();
      Map<String, Integer> arrived = world.arrivals();

      List<LoadReport> reports = together(loaders);

      assertThat(reports).allMatch(report -> report.error() == null && report.outrun() == 0);
      assertThat(reports.stream().mapToLong(LoadReport::total).sum()).isEqualTo(ROWS);
      assertThat(reports).allMatch(report -> report.total() >= ROWS / 10);
      assertThat(world.store.count(MessageQuery.all().states(MessageState.HELD))).isEqualTo(ROWS);
      await().atMost(Duration.ofSeconds(30)).until(() -> arrived.size() == ROWS);
      assertThat(arrived.values()).containsOnly(1);
    }
  }

  private static List<LoadReport> together(List<Loader> loaders) {
    CyclicBarrier start = new CyclicBarrier(loaders.size());
    List<CompletableFuture<LoadReport>> running =
        loaders.stream()
            .map(
                loader ->
                    CompletableFuture.supplyAsync(
                        () -> {
                          try {
                            start.await();
                          } catch (Exception e) {
                            throw new IllegalStateException(e);
                          }
                          return loader.runOnce();
                        },
                        task -> new Thread(task, "run").start()))
            .toList();
    return running.stream().map(CompletableFuture::join).toList();
  }
}
