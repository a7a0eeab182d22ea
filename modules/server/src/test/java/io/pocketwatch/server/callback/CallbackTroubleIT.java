// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.pocketwatch.server.callback.OddTarget.Call;
import io.pocketwatch.server.serve.RunningServer;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.BrokerExtension;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Queues that are deleted and channels that the broker closes, beside a route that goes on. */
@Tag("wide")
class CallbackTroubleIT {
  @RegisterExtension
  static final BrokerExtension broker =
      BrokerExtension.anyVersion()
          .with(
              options ->
                  options.withAdvancedConfig(
                      "[{rabbit,[{consumer_timeout,3000},{channel_tick_interval,500}]}]."));

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final byte[] BODY = "1".getBytes(StandardCharsets.UTF_8);

  @TempDir private Path folder;
  private final CountDownLatch answer = new CountDownLatch(1);
  private TestDatabase database;
  private OddTarget good;
  private OddTarget slow;
  private OddTarget broken;
  private RunningServer server;
  private Connection connection;
  private Channel channel;

  @BeforeEach
  void start() throws Exception {
    database = TestDatabases.postgresql();
    good = new OddTarget(call -> OddTarget.GOOD);
    slow = new OddTarget(this::whenTold);
    broken = new OddTarget(call -> OddTarget.BROKEN);
    server = serve("declare");
    connection = broker.connectionFactory().newConnection();
    channel = connection.createChannel();
  }

  private String whenTold(Call call) {
    try {
      answer.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return OddTarget.GOOD;
  }

  private RunningServer serve(String topology) throws IOException {
    String callback = "    %s: {url: '%s', timeout: 30s}%n";
    return RunningServer.start(
        folder,
        """
        routes:
          good: {routing-key: trouble-good, tracking: full, retries: []}
          slow: {routing-key: trouble-slow, tracking: full, retries: []}
          broken: {routing-key: trouble-broken, tracking: none, retries: []}
        wheel: {max-delay: 1h, resolution: 100ms, hands: [10m, 1m, 10s, 1s, 100ms]}
        loader: {every: 1h, lead: 1h, sweep: 200ms}
        topology: %s
        server:
          callbacks:
        """
                .formatted(topology)
            + callback.formatted("good", good.url())
            + callback.formatted("slow", slow.url())
            + callback.formatted("broken", broken.url()),
        database.url(),
        broker.amqpUri(),
        Map.of());
  }

  @AfterEach
  void stop() throws Exception {
    answer.countDown();
    server.close();
    connection.close();
    for (String queue : List.of("trouble-good", "trouble-slow", "trouble-broken")) {
      try (Connection last = broker.connectionFactory().newConnection();
          Channel cleaner = last.createChannel()) {
        cleaner.queueDelete(queue);
        cleaner.queueDelete("pocketwatch.parked." + queue);
      }
    }
    List.of(good, slow, broken).forEach(OddTarget::close);
    database.close();
  }

  @Test
  void what_is_parked_after_its_queue_was_deleted_is_kept() throws Exception {
    channel.queueDelete("pocketwatch.parked.trouble-broken");

    publish(channel, null);

    assertThat(parked().getBody()).isEqualTo(BODY);
  }

  @Test
  void a_message_of_another_user_is_parked_and_so_is_the_next() throws Exception {
    broker.node().ctl("add_user", "stranger", "strange");
    broker.node().ctl("set_permissions", "-p", broker.virtualHost(), "stranger", ".*", ".*", ".*");
    ConnectionFactory factory = broker.connectionFactory();
    factory.setUsername("stranger");
    factory.setPassword("strange");
    try (Connection theirs = factory.newConnection();
        Channel sending = theirs.createChannel()) {
      publish(sending, "stranger");
      assertThat(parked().getBody()).isEqualTo(BODY);

      publish(channel, null);
      assertThat(parked().getBody()).isEqualTo(BODY);
    } finally {
      broker.node().ctl("delete_user", "stranger");
    }
  }

  @Test
  void a_deleted_queue_is_consumed_again_and_other_routes_do_not_notice() throws Exception {
    MessageKey waiting = schedule("slow", "under way");
    await().atMost(PATIENCE).until(() -> slow.calls().size() == 1);
    String before = consumerOf("trouble-good");
    channel.queueDelete("trouble-good");
    awaitAnotherConsumer("trouble-good", before);

    awaitSettled(schedule("good", "a"));
    answer.countDown();
    awaitSettled(waiting);
    assertThat(good.calls()).hasSize(1);
    assertThat(slow.calls()).hasSize(1);
  }

  @Test
  void a_channel_closed_for_a_slow_call_is_opened_again_and_nothing_is_called_twice()
      throws Exception {
    String before = consumerOf("trouble-slow");
    MessageKey first = schedule("slow", "a");
    await().atMost(PATIENCE).until(() -> slow.calls().size() == 1);
    awaitAnotherConsumer("trouble-slow", before);
    answer.countDown();
    awaitSettled(first);

    awaitSettled(schedule("slow", "b"));
    assertThat(slow.calls()).hasSize(2);
  }

  private static void awaitAnotherConsumer(String queue, String before) {
    await()
        .atMost(PATIENCE)
        .until(() -> consumerOf(queue), after -> !after.isEmpty() && !after.equals(before));
  }

  /** Its channel's process in the broker, or nothing. */
  private static String consumerOf(String queue) {
    return broker
        .node()
        .ctl("list_consumers", "-p", broker.virtualHost(), "queue_name", "channel_pid", "--silent")
        .lines()
        .filter(line -> line.startsWith(queue + "\t"))
        .findFirst()
        .orElse("");
  }

  @Test
  void a_route_without_a_queue_waits_alone() throws Exception {
    awaitSettled(schedule("good", "first")); // binds its queue, which 'verify' would not
    server.close();
    channel.queueDelete("trouble-broken");
    server = serve("verify");

    awaitSettled(schedule("good", "a"));
    String waits = "callbacks of route broken wait: ";
    assertThat(server.get("/health").body()).contains("\"status\":\"UP\"").contains(waits);
    channel.queueDeclare("trouble-broken", true, false, false, Map.of());
    publish(channel, null);
    assertThat(parked().getBody()).isEqualTo(BODY);
    // The first message may be parked before the one who began to consume has said that he did.
    await().atMost(PATIENCE).until(() -> !server.get("/health").body().contains(waits));
  }

  private MessageKey schedule(String route, String id) throws IOException {
    RunningServer.json(
        server.post(
            "/api/v1/messages",
            "{\"route\": \"%s\", \"delay\": \"300ms\", \"id\": \"%s\", \"body\": 1}"
                .formatted(route, id)),
        201);
    return new MessageKey(route, id);
  }

  private void awaitSettled(MessageKey key) {
    await()
        .atMost(PATIENCE)
        .until(() -> server.store().find(key).orElseThrow().state() == MessageState.SETTLED);
  }

  private static void publish(Channel through, String user) throws IOException {
    BasicProperties properties = new BasicProperties.Builder().userId(user).build();
    through.basicPublish("", "trouble-broken", properties, BODY);
  }

  /** The queue may not be there yet, and a channel that asked for it is closed then. */
  private GetResponse parked() {
    return await().atMost(PATIENCE).until(this::nextParked, kept -> kept != null);
  }

  private @Nullable GetResponse nextParked() throws Exception {
    Channel asking = connection.createChannel();
    try {
      return asking.basicGet("pocketwatch.parked.trouble-broken", true);
    } catch (IOException e) {
      return null;
    } finally {
      asking.abort();
    }
  }
}
