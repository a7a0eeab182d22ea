// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static io.pocketwatch.PublishOutcome.REJECTED;
import static io.pocketwatch.PublishOutcome.UNCERTAIN;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Command;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.TrafficListener;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.TopologyException;
import io.pocketwatch.UnknownTargetException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A channel or connection that the broker or an operator closes. The publisher goes on. */
class ClosedUnderUsIT {
  private World world;
  private DelayedPublisher publisher;
  private DelayedMessage message;

  @BeforeEach
  void open() throws Exception {
    world = World.of(ClosedUnderUsIT.class);
    message = DelayedMessage.to(world.target("closed"), "key").delay(Duration.ofMillis(200));
    publisher =
        world.publisher(
            world.routes().toBuilder()
                .publisher(world.routes().publisher().toBuilder().channels(1).build())
                .build());
    assertThat(Futures.get(publisher.publish(message)).outcome()).isEqualTo(CONFIRMED);
  }

  @AfterEach
  void close() throws Exception {
    world.close();
  }

  @Test
  void a_channel_closed_by_a_deleted_exchange_is_replaced_and_the_exchange_asked_for()
      throws Exception {
    String gone = world.target("closed.gone");
    DelayedMessage toGone = DelayedMessage.to(gone, "key");
    assertThat(Futures.get(publisher.publish(toGone)).outcome()).isEqualTo(CONFIRMED);
    world.channel().exchangeDelete(gone);

    PublishReceipt receipt = Futures.get(publisher.publish(toGone));
    assertThat(receipt.outcome()).isEqualTo(UNCERTAIN);
    assertThat(receipt.detail()).contains("NOT_FOUND").contains("'" + gone + "'");

    assertThat(Futures.get(publisher.publish(message)).outcome()).isEqualTo(CONFIRMED);
    assertThat(Futures.failure(publisher.publish(toGone)))
        .as("asked for again, or each message would close the channel under the others")
        .isInstanceOf(UnknownTargetException.class)
        .hasMessageContaining("'" + gone + "'");
    assertThat(publisher.status().connected()).isTrue();
  }

  @Test
  void an_internal_exchange_closes_a_channel_once() throws Exception {
    world
        .channel()
        .exchangeDeclare("closed.internal", BuiltinExchangeType.FANOUT, false, true, true, null);
    DelayedMessage toInternal = DelayedMessage.to("closed.internal", "key");

    PublishReceipt receipt = Futures.get(publisher.publish(toInternal));
    assertThat(receipt.outcome()).isEqualTo(UNCERTAIN);
    assertThat(receipt.detail()).contains("ACCESS_REFUSED").contains("internal");

    assertThat(Futures.get(publisher.publish(message)).outcome()).isEqualTo(CONFIRMED);
    assertThat(Futures.failure(publisher.publish(toInternal)))
        .isInstanceOf(TopologyException.class)
        .hasMessageContaining("exchange 'closed.internal' refuses what is published to it");
  }

  /** On the one channel, in the middle of others: those are uncertain or confirmed, all end. */
  @Test
  void what_else_was_in_flight_on_a_closed_channel_is_accounted_for() throws Exception {
    String gone = world.target("closed.burst");
    assertThat(Futures.get(publisher.publish(DelayedMessage.to(gone, "key"))).confirmed()).isTrue();
    world.channel().exchangeDelete(gone);

    List<CompletableFuture<PublishReceipt>> futures = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      futures.add(publisher.publish(i == 100 ? DelayedMessage.to(gone, "key") : message));
    }
    List<PublishReceipt> receipts = new ArrayList<>(Futures.getAll(futures));

    assertThat(Futures.outcomes(receipts)).isSubsetOf(CONFIRMED, UNCERTAIN, REJECTED);
    assertThat(receipts.get(100).outcome()).isEqualTo(UNCERTAIN);
    PublishReceipt onTheNext = Futures.get(publisher.publish(message));
    assertThat(onTheNext.outcome()).as("on the channel that replaced it").isEqualTo(CONFIRMED);
    receipts.add(onTheNext);
    List<String> confirmed =
        receipts.stream().filter(PublishReceipt::confirmed).map(PublishReceipt::id).toList();
    List<String> rejected =
        receipts.stream()
            .filter(receipt -> receipt.outcome() == REJECTED)
            .map(PublishReceipt::id)
            .toList();
    Inbox inbox = world.inbox("closed");
    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> inbox.ids().containsAll(confirmed));
    assertThat(rejected).doesNotContainAnyElementsOf(inbox.ids());
    assertThat(inbox.ids()).doesNotHaveDuplicates();
  }

  /**
   * The client has counted it, the broker has not: nobody must get the next one's confirm for it.
   */
  @Test
  void an_error_in_the_middle_of_sending_leaves_no_answer_to_the_wrong_message() throws Exception {
    AtomicBoolean failing = new AtomicBoolean();
    ConnectionFactory factory = world.node().connectionFactory();
    factory.setTrafficListener(
        new TrafficListener() {
          @Override
          public void write(Command outbound) {
            if (outbound.getMethod() instanceof AMQP.Basic.Publish
                && failing.compareAndSet(true, false)) {
              throw new StackOverflowError("a test wants it");
            }
          }

          @Override
          public void read(Command inbound) {}
        });
    DelayedPublisher listened =
        world.publisher(
            factory,
            world.routes().toBuilder()
                .publisher(world.routes().publisher().toBuilder().channels(1).build())
                .build());
    assertThat(Futures.get(listened.publish(message)).outcome()).isEqualTo(CONFIRMED);

    failing.set(true);
    CompletableFuture<PublishReceipt> first = listened.publish(message);
    CompletableFuture<PublishReceipt> second = listened.publish(message);

    assertThat(Futures.get(first).outcome()).isEqualTo(UNCERTAIN);
    assertThat(Futures.get(first).detail()).contains("a test wants it");
    assertThat(Futures.get(second).outcome()).isEqualTo(CONFIRMED);
  }

  @Test
  void all_connections_closed_by_an_operator() throws Exception {
    String unbound = world.target("closed.unbound");
    DelayedMessage toUnbound = DelayedMessage.to(unbound, "key").delay(Duration.ofMillis(200));
    assertThat(Futures.get(publisher.publish(toUnbound)).outcome()).isEqualTo(CONFIRMED);
    world.inbox(unbound).awaitOne();
    world.channel().exchangeUnbind(unbound, world.ours("deliver"), "pw-to-closed~2eunbound");
    List<CompletableFuture<PublishReceipt>> futures = new ArrayList<>();
    CompletableFuture<String> closing =
        CompletableFuture.supplyAsync(
            () -> world.node().ctl("close_all_connections", "a test wants it"));
    Awaitility.await("uncertain or rejected, while connections are closed")
        .atMost(Duration.ofSeconds(20))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(
            () -> {
              futures.add(publisher.publish(message));
              return !publisher.status().connected();
            });
    List<PublishReceipt> receipts = Futures.getAll(futures);
    assertThat(Futures.outcomes(receipts)).isSubsetOf(CONFIRMED, UNCERTAIN, REJECTED);
    closing.get();

    Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> publisher.status().connected());
    assertThat(Futures.get(publisher.publish(message)).outcome()).isEqualTo(CONFIRMED);
    PublishReceipt again = Futures.get(publisher.publish(toUnbound));
    assertThat(again.outcome()).isEqualTo(CONFIRMED);
    assertThat(world.inbox(unbound).awaitOne().id())
        .as("its binding is back after the reconnect")
        .isEqualTo(again.id());
    List<String> confirmed =
        receipts.stream().filter(PublishReceipt::confirmed).map(PublishReceipt::id).toList();
    Inbox inbox = world.inbox("closed");
    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> inbox.ids().containsAll(confirmed));
  }

  @Test
  void the_admin_connection_closed_alone() throws Exception {
    PublishReceipt held =
        Futures.get(
            publisher.publish(
                message.delay(Duration.ofMinutes(1)).strategy(DelayStrategy.TEMPORARY_QUEUE)));
    assertThat(held.outcome()).isEqualTo(CONFIRMED);
    List<String> admins =
        world
            .node()
            .ctl("-q", "list_connections", "pid", "client_properties")
            .lines()
            .filter(line -> line.contains("pocketwatch admin"))
            .map(line -> line.substring(0, line.indexOf('\t')))
            .toList();
    assertThat(admins).hasSize(1);
    world.node().ctl("close_connection", admins.get(0), "a test wants it");

    assertThat(publisher.status().connected()).isTrue();
    PublishReceipt toNew =
        Futures.get(
            publisher.publish(
                DelayedMessage.to(world.target("closed.new"), "key").delay(Duration.ofMillis(50))));
    assertThat(toNew.outcome()).as("%s", toNew).isEqualTo(CONFIRMED);
    assertThat(world.inbox("closed.new").awaitOne().id()).isEqualTo(toNew.id());
    assertThat(Futures.get(publisher.cancel(held))).isEqualTo(ChangeOutcome.DONE);
  }
}
