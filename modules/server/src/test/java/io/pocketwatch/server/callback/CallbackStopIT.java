// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.server.callback.OddTarget.Call;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A server that stops while a call is under way, beside others that could take the next ones. */
@Timeout(120)
class CallbackStopIT {
  @RegisterExtension static final BrokerExtension broker = BrokerExtension.anyVersion();

  /** Less than the stop waits for the call. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final String QUEUE = "call-stop";

  @TempDir private Path folder;
  private final CountDownLatch answer = new CountDownLatch(1);

  @Test
  void it_takes_no_more_from_its_queue_and_ends_the_call() throws Exception {
    try (OddTarget target = new OddTarget(this::whenTold);
        TestDatabase database = TestDatabases.h2();
        Connection connection = broker.connectionFactory().newConnection();
        Channel channel = connection.createChannel()) {
      RunningServer server =
          RunningServer.start(
              folder,
              """
              routes:
                stop: {routing-key: %s}
              wheel: {max-delay: 1h, resolution: 1s, hands: [10m, 1m, 10s, 1s]}
              server:
                callbacks:
                  stop: {url: '%s', timeout: 60s, concurrency: 4}
              """
                  .formatted(QUEUE, target.url()),
              database.url(),
              broker.amqpUri(),
              Map.of());
      Thread stop = new Thread(server::close);
      try {
        publish(channel, "under way");
        await().atMost(PATIENCE).until(() -> target.calls().size() == 1);
        stop.start();
        await().atMost(PATIENCE).until(CallbackStopIT::waitsForTheCall);

        publish(channel, "for another");
        await().atMost(PATIENCE).until(() -> channel.messageCount(QUEUE) == 1);
        assertThat(stop.isAlive()).as("the call is still under way").isTrue();
      } finally {
        answer.countDown();
        stop.join();
      }
      assertThat(channel.basicGet(QUEUE, true).getBody()).asString().isEqualTo("for another");
      assertThat(channel.messageCount(QUEUE)).as("what was under way is acknowledged").isZero();
      assertThat(target.calls()).hasSize(1);
    }
  }

  /** The broker still counts a cancelled consumer that owes it an answer. */
  private static boolean waitsForTheCall() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(
            each ->
                each.getName().equals("pocketwatch-callback-end")
                    && each.getState() == Thread.State.TIMED_WAITING);
  }

  private static void publish(Channel channel, String body) throws Exception {
    channel.basicPublish("", QUEUE, null, body.getBytes(StandardCharsets.UTF_8));
  }

  private String whenTold(Call call) {
    try {
      answer.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return OddTarget.GOOD;
  }
}
