// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.loader.Loader;
import io.pocketwatch.server.config.StoreSettings;
import io.pocketwatch.server.store.OpenStore;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The shop of the stacks, with their configuration but for the database. */
@Tag("wide")
class TrafficIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();

  private static final Path STACKS = Path.of("..", "..", "docker", "config", "pocketwatch.yml");
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  @TempDir private Path folder;

  @Test
  void in_a_while_there_are_messages_in_every_state_to_look_at() throws Exception {
    try (TestDatabase database = TestDatabases.h2();
        OpenStore open = OpenStore.create(StoreSettings.at(database.url(), Map.of()));
        TrackedPublisher publisher =
            DelayedPublisher.builder(broker.connectionFactory())
                .routes(DelayRoutes.load(STACKS))
                .build(TrackedPublisher.with(open.store()));
        Loader loader = new Loader(publisher)) { // in the stacks it is the server's
      loader.start();
      Path config = configuration(database.url());
      CompletableFuture<CommandRun> ended = new CompletableFuture<>();
      Thread shop =
          new Thread(
              () ->
                  ended.complete(
                      CommandRun.of(
                          "demo-traffic",
                          "--rate=100",
                          "--config=" + config,
                          "--broker=" + broker.amqpUri())));
      shop.start();
      try {
        for (MessageState state :
            new MessageState[] {
              MessageState.PENDING,
              MessageState.HELD,
              MessageState.CANCELLED,
              MessageState.SETTLED,
              MessageState.PARKED
            }) {
          await(state.name())
              .atMost(PATIENCE)
              .until(
                  () -> ended.isDone() || open.store().count(MessageQuery.all().states(state)) > 0);
        }
      } finally {
        shop.interrupt();
      }

      CommandRun run = ended.get(60, TimeUnit.SECONDS);
      assertThat(run.err()).as("%s", run).contains("Stopped");
      assertThat(run.exitCode()).isZero();
      assertThat(open.store().list(MessageQuery.all().states(MessageState.PARKED)))
          .isNotEmpty()
          .allSatisfy(parked -> assertThat(parked.reason()).contains("no customer"));
    }
  }

  @Test
  void a_configuration_without_its_routes_is_refused_before_anything_is_sent() throws IOException {
    Path config =
        Files.writeString(
            folder.resolve("other.yml"), "pocketwatch: {routes: {orders: {exchange: orders}}}");

    CommandRun run =
        CommandRun.of("demo-traffic", "--config=" + config, "--broker=" + broker.amqpUri());

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).singleElement().asString().contains("no route 'demo-order-timeout'");
  }

  private Path configuration(String url) throws IOException {
    String stacks = Files.readString(STACKS);
    String ours =
        stacks
            .replace("jdbc:postgresql://postgres:5432/pocketwatch", url)
            .replace("    user: pocketwatch\n", "");
    assertThat(ours).contains(url).doesNotContain("user: pocketwatch");
    return Files.writeString(folder.resolve("pocketwatch.yml"), ours);
  }
}
