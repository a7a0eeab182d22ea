// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pocketwatch.server.callback.OddTarget.Call;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The broker loses its disk while a callback's only copy is on hold for its next try. */
@Tag("wide")
class CallbackLostDiskIT {
  @RegisterExtension
  static final BrokerExtension broker =
      BrokerExtension.anyVersion().dedicated().allowingOpenConnections();

  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final MessageKey KEY = new MessageKey("later", "a");

  @TempDir private Path folder;
  private volatile String answer = OddTarget.BROKEN;
  private TestDatabase database;
  private OddTarget target;
  private RunningServer server;

  @BeforeEach
  void start() throws Exception {
    database = TestDatabases.postgresql();
    target = new OddTarget(call -> answer);
    server =
        RunningServer.start(
            folder,
            """
            routes:
              later: {routing-key: call-later, tracking: full, retries: [20s]}
            wheel: {max-delay: 1d, resolution: 100ms, hands: [1d, 1h, 1m, 1s, 100ms]}
            loader: {every: 1h, lead: 1h, sweep: 200ms}
            server:
              callbacks:
                later: {url: '%s'}
            """
                .formatted(target.url()),
            database.url(),
            broker.amqpUri(),
            Map.of());
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
    target.close();
    database.close();
  }

  @Test
  void is_called_all_the_same() throws Exception {
    RunningServer.json(
        server.post(
            "/api/v1/messages",
            "{\"route\": \"later\", \"delay\": \"300ms\", \"id\": \"a\", \"body\": 1}"),
        201);
    await().atMost(PATIENCE).until(() -> row().reason() != null);
    StoredMessage waiting = row();
    assertThat(waiting.state()).isEqualTo(MessageState.PENDING);
    assertThat(waiting.reason()).isEqualTo("callback, try 1: HTTP status 500; retry 1 of 1 in 20s");
    assertThat(waiting.nextAt()).isAfter(waiting.deliverAt().plusSeconds(15));

    answer = OddTarget.GOOD;
    broker.node().kill();
    broker.node().wipe();
    broker.node().start();
    broker.restoreVirtualHost();

    await().atMost(PATIENCE).until(() -> row().state() == MessageState.SETTLED);
    assertThat(target.calls()).extracting(Call::attempt).containsExactly(1, 2);
  }

  private StoredMessage row() {
    return server.store().find(KEY).orElseThrow();
  }
}
