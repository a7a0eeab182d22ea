// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.GetResponse;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.handoff.Holding;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.RabbitResourceHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** What a transaction says on the channel that a template has borrowed. */
class GuardedReceiveTest {
  private static final Instant NOW = Instant.parse("2026-03-01T09:00:00Z");

  private final ConnectionFactory springs = new CachingConnectionFactory("localhost");
  private final Queue<String> said = new ConcurrentLinkedQueue<>();
  private final Queue<Instant> waiting = new ArrayDeque<>();
  private final DeliveryGuard guard =
      DeliveryGuard.withoutStore(
          new Held(), GuardOptions.builder().clock(() -> NOW).build(), PocketwatchListener.NONE);
  private final Channel pooled = channel();
  private final RabbitResourceHolder transaction = new RabbitResourceHolder(pooled, true);
  private long lastTag;

  @BeforeEach
  void begin() {
    TransactionSynchronizationManager.bindResource(springs, transaction);
  }

  @AfterEach
  void end() {
    TransactionSynchronizationManager.unbindResource(springs);
    guard.close();
  }

  @Test
  void a_transaction_closes_what_it_has_borrowed_once() throws Exception {
    waiting.add(NOW);
    waiting.add(NOW);
    assertThat(take()).isNotNull();
    assertThat(take()).isNotNull();

    transaction.commitAll();
    transaction.closeAll();

    said.remove("ack up to 1"); // each may be answered by itself
    assertThat(said).containsExactly("commit", "commit", "ack up to 2", "commit", "close");
  }

  @Test
  void what_is_passed_over_is_acknowledged_without_what_was_taken_before() throws Exception {
    waiting.add(NOW);
    assertThat(take()).isNotNull();
    waiting.add(NOW.plusSeconds(60));
    assertThat(take()).isNull();

    await().untilAsserted(() -> assertThat(said).containsExactly("ack 2"));
  }

  @Test
  void what_was_passed_over_is_acknowledged_though_the_transaction_is_rolled_back()
      throws Exception {
    waiting.add(NOW.plusSeconds(60));
    assertThat(take()).isNull();
    await().untilAsserted(() -> assertThat(said).containsExactly("ack up to 1"));

    transaction.rollbackAll();
    transaction.closeAll();

    assertThat(said).containsExactly("ack up to 1", "rollback", "rollback", "ack up to 1", "close");
  }

  @Test
  void a_local_transaction_is_committed_though_all_is_passed_over() throws Exception {
    waiting.add(NOW.plusSeconds(60));

    assertThat(GuardedReceive.take(guard, pooled, "work", Map.of(), null, true, null)).isNull();

    assertThat(said).containsExactly("ack up to 1", "commit");
  }

  @Test
  void a_local_transaction_is_committed_when_its_message_is_settled() throws Exception {
    waiting.add(NOW);

    assertThat(GuardedReceive.take(guard, pooled, "work", Map.of(), null, true, null)).isNotNull();

    assertThat(said).containsExactly("ack up to 1", "commit");
  }

  private Delivery take() throws IOException {
    return GuardedReceive.take(guard, pooled, "work", Map.of(), null, false, springs);
  }

  private Channel channel() {
    return (Channel)
        Proxy.newProxyInstance(
            Channel.class.getClassLoader(),
            new Class<?>[] {Channel.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "equals" -> self == arguments[0];
                  case "hashCode" -> System.identityHashCode(self);
                  case "toString" -> "pooled";
                  case "isOpen" -> true;
                  case "basicGet" -> next();
                  case "basicAck" ->
                      say(((boolean) arguments[1] ? "ack up to " : "ack "), arguments);
                  case "basicReject" -> say("reject ", arguments);
                  case "txCommit" -> say("commit");
                  case "txRollback" -> say("rollback");
                  case "close" -> say("close");
                  case "addShutdownListener", "removeShutdownListener" -> null;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private Object say(String word, Object... arguments) {
    said.add(arguments.length == 0 ? word : word + arguments[0]);
    return null;
  }

  private GetResponse next() {
    Instant deliverAt = waiting.poll();
    return deliverAt == null
        ? null
        : new GetResponse(
            new Envelope(++lastTag, false, "", "work"),
            Copies.untracked("message", deliverAt, Map.of()),
            new byte[1],
            waiting.size());
  }

  private static final class Held implements Holding {
    @Override
    public CompletableFuture<PublishReceipt> holdAgain(
        String queue, Delivery received, Instant until) {
      return CompletableFuture.completedFuture(
          new PublishReceipt(
              "message",
              "held-again",
              PublishOutcome.CONFIRMED,
              Cause.NONE,
              "",
              DelayStrategy.QUEUE_WHEEL,
              "",
              until,
              Duration.ZERO,
              false));
    }

    @Override
    public Instant now() {
      return NOW;
    }

    @Override
    public DelayRoutes routes() {
      return DelayRoutes.none();
    }
  }
}
