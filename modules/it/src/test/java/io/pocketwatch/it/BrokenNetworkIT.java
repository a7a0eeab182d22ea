// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static io.pocketwatch.PublishOutcome.REJECTED;
import static io.pocketwatch.PublishOutcome.UNCERTAIN;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.localbroker.NetworkProxy;
import io.pocketwatch.localbroker.NetworkProxy.Direction;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A healthy broker behind a network that is not. */
class BrokenNetworkIT {
  private World world;
  private NetworkProxy proxy;
  private DelayedPublisher publisher;
  private DelayedMessage message;

  @BeforeEach
  void open() throws Exception {
    world = World.of(BrokenNetworkIT.class);
    proxy = NetworkProxy.to(world.node().amqpUri());
    ConnectionFactory factory = world.node().connectionFactory();
    factory.setHost(proxy.host());
    factory.setPort(proxy.port());
    message = DelayedMessage.to(world.target("network"), "key").delay(Duration.ofMillis(500));
    publisher = world.publisher(factory, world.routes());
    assertThat(Futures.get(publisher.publish(message)).outcome()).isEqualTo(CONFIRMED);
  }

  @AfterEach
  void close() throws Exception {
    proxy.resume();
    world.close();
    proxy.close();
  }

  /** What uncertain means: these do arrive, and nobody at the sending end can know. */
  @Test
  void when_confirms_are_held_back_the_outcome_is_uncertain_and_the_message_arrives()
      throws Exception {
    proxy.stall(Direction.TO_CLIENT);
    List<PublishReceipt> receipts = Futures.all(20, i -> publisher.publish(message));
    assertThat(Futures.outcomes(receipts)).containsOnly(UNCERTAIN);
    Inbox inbox = world.inbox("network");
    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> inbox.ids().containsAll(receipts.stream().map(PublishReceipt::id).toList()));

    proxy.resume();
    assertThat(Futures.get(publisher.publish(message)).outcome())
        .as("confirms that came too late confuse nothing")
        .isEqualTo(CONFIRMED);
  }

  @Test
  void when_publishes_are_held_back_they_arrive_late_or_never_and_are_uncertain() {
    proxy.stall(Direction.TO_BROKER);
    List<PublishReceipt> receipts = Futures.all(20, i -> publisher.publish(message));
    proxy.resume();

    assertThat(Futures.outcomes(receipts)).containsOnly(UNCERTAIN);
    assertThat(Futures.get(publisher.publish(message)).outcome()).isEqualTo(CONFIRMED);
  }

  /** Each question for it closes the channel it is asked on, which must not be the probe's. */
  @Test
  void a_missing_target_does_not_keep_a_publisher_that_connects_later_from_connecting()
      throws Exception {
    proxy.cut();
    ConnectionFactory factory = world.node().connectionFactory();
    factory.setHost(proxy.host());
    factory.setPort(proxy.port());
    DelayedMessage toNobody = DelayedMessage.to("network.nobody", "key");
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService sender = Executors.newSingleThreadExecutor();
    try (DelayedPublisher later =
        DelayedPublisher.builder(factory).routes(world.routes()).connectLater().build()) {
      sender.submit(
          () -> {
            while (!done.get()) { // without a connection it is refused at once
              later.publish(toNobody).handle((receipt, error) -> receipt).join();
              LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
            }
          });
      proxy.resume();

      Awaitility.await().atMost(Duration.ofSeconds(15)).until(() -> later.status().connected());
      done.set(true);
    } finally {
      done.set(true);
      sender.shutdownNow();
    }
    assertThat(world.count(world.ours("unroutable"))).as("no probe message is parked").isZero();
  }

  @Test
  void when_the_connection_is_cut_what_is_in_flight_is_uncertain_at_once() throws Exception {
    proxy.stall(Direction.TO_CLIENT);
    List<CompletableFuture<PublishReceipt>> futures =
        IntStream.range(0, 50).mapToObj(i -> publisher.publish(message)).toList();
    proxy.cut();
    List<PublishReceipt> cut = Futures.getAll(futures);
    assertThat(Futures.outcomes(cut)).containsOnly(UNCERTAIN);
    assertThat(cut)
        .as("not by waiting for it")
        .extracting(PublishReceipt::detail)
        .noneMatch(detail -> detail.contains("no answer"));
    Awaitility.await().until(() -> !publisher.status().connected());
    PublishReceipt meanwhile = Futures.get(publisher.publish(message));
    assertThat(meanwhile.outcome()).as("%s", meanwhile).isEqualTo(REJECTED);

    proxy.resume();
    Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> publisher.status().connected());
    assertThat(Futures.get(publisher.publish(message)).outcome()).isEqualTo(CONFIRMED);
  }
}
