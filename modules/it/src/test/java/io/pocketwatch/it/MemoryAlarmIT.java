// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static io.pocketwatch.PublishOutcome.REJECTED;
import static io.pocketwatch.PublishOutcome.UNCERTAIN;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.UnknownTargetException;
import java.time.Duration;
import java.time.Instant;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Under a memory alarm the broker stops reading from publishers. Everything else goes on. */
class MemoryAlarmIT {
  private static final Duration SOON = Duration.ofSeconds(5);

  @Test
  void only_publishing_stops_and_says_so() throws Exception {
    publishingStops("4.3", "0.6");
  }

  @Tag("wide")
  @Test
  void so_it_is_with_the_oldest_broker() throws Exception {
    publishingStops("3.10", "0.4");
  }

  private static void publishingStops(String version, String usualWatermark) throws Exception {
    try (World world = new World(SharedNodes.of(version), "MemoryAlarmIT")) {
      DelayedMessage message =
          DelayedMessage.to(world.target("alarm"), "key").delay(Duration.ofSeconds(1));
      world.target("alarm.new");
      DelayedPublisher publisher = world.publisher();
      assertThat(Futures.get(publisher.publish(message)).outcome()).isEqualTo(CONFIRMED);
      PublishReceipt held =
          Futures.get(
              publisher.publish(
                  message.delay(Duration.ofMinutes(2)).strategy(DelayStrategy.TEMPORARY_QUEUE)));

      DelayedPublisher second;
      world.node().ctl("set_vm_memory_high_watermark", "absolute", "1");
      try {
        // What was on its way when the alarm went off is uncertain, later ones are not sent.
        Awaitility.await()
            .atMost(Duration.ofSeconds(15))
            .until(() -> Futures.get(publisher.publish(message)).outcome() == REJECTED);
        assertThat(publisher.status().blockedReason()).contains("low on memory");
        assertBlocked(publisher, message);
        assertBlocked(publisher, message.delay(Duration.ZERO));
        assertBlocked(publisher, message.strategy(DelayStrategy.TEMPORARY_QUEUE));
        assertBlocked(publisher, DelayedMessage.to("alarm.new", "key").delay(SOON));
        assertThat(Futures.failure(publisher.publish(DelayedMessage.to("alarm.none", "key"))))
            .as("asking for a destination does not hang")
            .isInstanceOf(UnknownTargetException.class);
        assertThat(Futures.get(publisher.cancel(held))).isEqualTo(ChangeOutcome.DONE);
        assertThat(world.inbox("alarm").awaitOne()).as("deliveries go on").isNotNull();

        Instant begin = Instant.now();
        second = world.publisher();
        assertThat(Duration.between(begin, Instant.now()))
            .as("nothing is probed")
            .isLessThan(Duration.ofSeconds(15));
        assertThat(Futures.get(second.publish(message)).outcome()).isIn(REJECTED, UNCERTAIN);
        assertBlocked(second, message);
      } finally {
        world.node().ctl("set_vm_memory_high_watermark", usualWatermark);
      }

      for (DelayedPublisher each : new DelayedPublisher[] {publisher, second}) {
        Awaitility.await()
            .atMost(Duration.ofSeconds(15))
            .until(() -> Futures.get(each.publish(message)).confirmed());
        assertThat(each.status().blockedReason()).isNull();
        PublishReceipt last =
            Futures.get(
                each.publish(DelayedMessage.to("alarm.new", "key").delay(Duration.ofMillis(50))));
        assertThat(last.outcome()).as("%s", last).isEqualTo(CONFIRMED);
      }
      assertThat(world.node().ctl("-q", "list_queues", "name", "messages").lines())
          .as("a temporary queue that was declared for nothing is empty, and left to its expiry")
          .filteredOn(line -> line.startsWith(world.ours("temporary.")))
          .isNotEmpty()
          .allMatch(line -> line.endsWith("\t0"));
      assertThat(world.inbox("alarm.new").await(2, Duration.ofSeconds(10))).hasSize(2);
      assertThat(world.count(world.ours("unroutable"))).as("no probe message is parked").isZero();
    }
  }

  private static void assertBlocked(DelayedPublisher publisher, DelayedMessage message) {
    PublishReceipt receipt = Futures.get(publisher.publish(message));
    assertThat(receipt.outcome()).as("%s", receipt).isEqualTo(REJECTED);
    assertThat(receipt.detail()).contains("blocked publishers").contains("low on memory");
  }
}
