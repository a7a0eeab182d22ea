// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static io.pocketwatch.PublishOutcome.REJECTED;
import static io.pocketwatch.PublishOutcome.UNCERTAIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.BrokerUnreachableException;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.localbroker.BrokerNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A broker that goes away: one test, because a node of its own takes its time to start. */
@Tag("ci")
class LostBrokerIT {

  @Test
  void in_flight_is_uncertain_later_is_rejected_and_after_the_restart_all_is_well()
      throws Exception {
    try (BrokerNode node = SharedNodes.own(SharedNodes.NEWEST);
        World world = new World(node, "LostBrokerIT")) {
      DelayedMessage message =
          DelayedMessage.to(world.target("lost"), "key").delay(Duration.ofSeconds(1));
      world.target("lost.later");
      DelayedPublisher publisher = world.publisher();
      PublishReceipt first = Futures.get(publisher.publish(message));
      assertThat(first.outcome()).isEqualTo(CONFIRMED);
      PublishReceipt held =
          Futures.get(
              publisher.publish(
                  message.delay(Duration.ofMinutes(5)).strategy(DelayStrategy.TEMPORARY_QUEUE)));

      Inbox before = world.inbox("lost");
      before
          .awaitOne(); // takes a second: a quorum queue younger than that may not survive the kill
      node.pause(); // so that they are in flight for certain
      List<CompletableFuture<PublishReceipt>> inFlight =
          IntStream.range(0, 50).mapToObj(i -> publisher.publish(message)).toList();
      DelayedMessage unanswered =
          message
              .id("unanswered-" + System.nanoTime())
              .deliverAt(Instant.now().plusSeconds(60))
              .strategy(DelayStrategy.TEMPORARY_QUEUE);
      CompletableFuture<PublishReceipt> hanging = publisher.publish(unanswered);
      node.kill();
      List<PublishReceipt> cut = Futures.getAll(inFlight);
      assertThat(Futures.outcomes(cut)).containsOnly(UNCERTAIN);
      assertThat(cut)
          .as("a lost connection is noticed before the confirm timeout")
          .extracting(PublishReceipt::detail)
          .allMatch(detail -> !detail.isBlank() && !detail.contains("no answer"));
      Awaitility.await().until(() -> !publisher.status().connected());

      assertRejectedForWantOfAConnection(publisher, message);
      assertRejectedForWantOfAConnection(
          publisher, DelayedMessage.to("lost.later", "key").delay(Duration.ofSeconds(1)));
      DelayedMessage sentAgain =
          message
              .id("again-" + System.nanoTime())
              .deliverAt(Instant.now().plusSeconds(60))
              .strategy(DelayStrategy.TEMPORARY_QUEUE);
      for (int attempt = 0; attempt < 3; attempt++) {
        assertRejectedForWantOfAConnection(publisher, sentAgain);
      }
      assertRejectedForWantOfAConnection(publisher, DelayedMessage.to("lost", "key"));
      assertThat(Futures.get(publisher.cancel(held))).isEqualTo(ChangeOutcome.UNCERTAIN);
      assertThatThrownBy(world::publisher)
          .isInstanceOf(BrokerUnreachableException.class)
          .hasMessageContaining(String.valueOf(node.amqpUri().getPort()))
          .hasMessageNotContaining(node.connectionFactory().getPassword() + "@");

      node.start();
      Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> publisher.status().connected());
      PublishReceipt again = Futures.get(publisher.publish(message));
      assertThat(again.outcome()).as("%s", again).isEqualTo(CONFIRMED);
      assertThat(Futures.get(hanging).outcome()).isIn(UNCERTAIN, REJECTED);
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> Futures.get(publisher.publish(sentAgain)).confirmed());
      Awaitility.await("its queue may be there, and then stays for 30 s")
          .atMost(Duration.ofSeconds(50))
          .until(() -> Futures.get(publisher.publish(unanswered)).confirmed());
      // Until its queue has a leader again the broker reports it empty, which proves nothing.
      AtomicReference<ChangeOutcome> cancelled = new AtomicReference<>();
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .until(
              () -> {
                cancelled.set(Futures.get(publisher.cancel(held)));
                return cancelled.get() != ChangeOutcome.UNCERTAIN;
              });
      assertThat(cancelled.get()).isEqualTo(ChangeOutcome.DONE);
      Inbox after = world.inbox("lost");
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> after.ids().contains(again.id()));
      assertThat(before.ids()).contains(first.id());
    }
  }

  private static void assertRejectedForWantOfAConnection(
      DelayedPublisher publisher, DelayedMessage message) {
    PublishReceipt receipt = Futures.get(publisher.publish(message));
    assertThat(receipt.outcome()).as("%s", receipt).isEqualTo(REJECTED);
    assertThat(receipt.detail()).contains("nothing was sent");
  }
}
