// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import static io.pocketwatch.internal.publish.HandDrivenPublisher.TIMEOUT;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.testing.FakeBroker.Probe;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A publisher closed in the middle of something. */
class CloseOrderTest {
  private HandDrivenPublisher it = HandDrivenPublisher.connected();

  @AfterEach
  void nothing_is_left() {
    it.time.runAll();

    assertThat(it.open()).isEmpty();
    assertThat(it.time.permitsTaken()).isZero();
    assertThat(it.broker.connections()).isEmpty();
    assertThat(it.time.threadsLeft()).isEmpty();
    int sent = it.broker.sent().size();
    it.publish("after the end");
    it.waits(ofSeconds(60));
    assertThat(it.outcome("after the end")).isEqualTo("IllegalStateException");
    assertThat(it.broker.sent()).hasSize(sent);
  }

  @Test
  void with_nothing_to_wait_for_it_closes_at_once() {
    long before = it.time.nanoTime();

    it.publisher.close();
    it.publisher.close();

    assertThat(it.time.nanoTime()).isEqualTo(before);
  }

  @Test
  void one_that_never_connected_closes_at_once() {
    it = new HandDrivenPublisher();

    it.publisher.close();

    assertThat(it.broker.connectionsMade("publish")).isZero();
  }

  @Test
  void an_answer_that_comes_while_it_closes_counts() {
    it.publish("a");
    it.time.later(ofSeconds(3), () -> it.broker.acks("a"));

    it.publisher.close();

    assertThat(it.outcome("a")).isEqualTo("CONFIRMED");
  }

  @Test
  void what_gets_no_answer_is_uncertain() {
    it.publish("a");

    it.publisher.close();

    assertThat(it.outcome("a")).isEqualTo("UNCERTAIN NO_ANSWER");
  }

  @Test
  void a_connection_lost_while_it_closes_is_not_opened_again() {
    it.publish("a");
    it.time.later(ofSeconds(3), it.broker::losesConnections);
    it.time.later(ofMillis(3_050), it.publisher::close);

    it.publisher.close();

    assertThat(it.outcome("a")).isEqualTo("UNCERTAIN CHANNEL_LOST");
    assertThat(it.broker.connectionsMade("publish")).isEqualTo(1);
  }

  @Test
  void a_message_to_a_target_that_is_being_asked_for_is_still_sent() {
    it.start("a", DelayedMessage.toQueue("orders").id("a"));
    it.time.later(ofSeconds(1), () -> it.broker.acks("a"));

    it.publisher.close();

    assertThat(it.outcome("a")).isEqualTo("CONFIRMED");
  }

  @Test
  void one_that_waits_for_its_target_to_be_bound_ends() {
    it.start("a", DelayedMessage.to("bills", "paid").id("a").delay(ofSeconds(5)));
    assertThat(it.outcome("a")).isEqualTo("UnknownTargetException");
    it.broker.hasExchange("bills");
    it.start("b", DelayedMessage.to("bills", "paid").id("b").delay(ofSeconds(5)));

    it.publisher.close();

    assertThat(it.outcome("b")).isEqualTo("UNCERTAIN NO_ANSWER");
  }

  @Test
  void one_that_waits_for_the_wheel_ends() {
    it.broker.probe(Probe.IS_NOT_ANSWERED);
    it.start("a", DelayedMessage.to("shop", "paid").id("a").delay(ofSeconds(5)));

    it.publisher.close();

    assertThat(it.outcome("a")).startsWith("REJECTED");
  }

  @Test
  void while_there_is_no_connection_it_stops_trying() {
    it.broker.goesAway();
    it.waits(ofSeconds(5));

    it.publisher.close();
    it.broker.comesBack();
    it.waits(ofSeconds(5));

    assertThat(it.broker.connectionsMade("publish")).isEqualTo(1);
  }

  @Test
  void while_it_connects_again_the_fresh_connection_is_closed() {
    it.broker.whileConnecting(it.publisher::close);

    it.broker.losesPublishConnection();
    it.waits(ofSeconds(1));

    assertThat(it.broker.connectionsMade("publish")).isEqualTo(2);
    assertThat(it.publisher.status().connected()).isFalse();
  }

  @Test
  void before_the_first_connection_was_tried_what_waits_for_it_is_still_sent() {
    it = new HandDrivenPublisher();
    it.start("a", DelayedMessage.toQueue("orders").id("a"));
    it.time.later(ofSeconds(1), () -> it.broker.acks("a"));

    it.publisher.close();

    assertThat(it.outcome("a")).isEqualTo("CONFIRMED");
  }

  @Test
  void while_blocked_it_waits_for_what_was_sent_and_takes_nothing() {
    it.publish("a");
    it.broker.blocks("low on memory");
    it.publish("b");
    it.time.later(ofSeconds(1), () -> it.broker.acks("a"));

    it.publisher.close();

    assertThat(it.outcomes("a", "b")).containsExactly("CONFIRMED", "REJECTED BLOCKED");
  }

  @Test
  void a_call_that_waits_for_a_place_gets_in_and_ends() {
    it.publish("a", "b", "c", "d");
    it.time.later(Duration.ZERO, it.publisher::close);
    it.time.later(ofSeconds(1), () -> it.broker.acks("a"));

    it.publish("e");

    assertThat(it.outcome("a")).isEqualTo("CONFIRMED");
    assertThat(it.outcome("e")).isNotEqualTo("CONFIRMED");
  }

  @Test
  void in_the_middle_of_a_send_it_waits_for_the_answer() {
    it.broker.duringNextSend(() -> it.time.later(Duration.ZERO, it.publisher::close));
    it.publish("a");

    assertThat(it.outcome("a")).isEqualTo("UNCERTAIN NO_ANSWER");
  }

  @Test
  void in_the_middle_of_a_send_that_throws_it_ends() {
    it.broker.duringNextSend(
        () -> {
          it.time.later(Duration.ZERO, it.publisher::close);
          throw new IOException("broken pipe");
        });

    it.publish("a");

    assertThat(it.outcome("a")).isEqualTo("UNCERTAIN CHANNEL_LOST");
  }

  @Test
  void from_a_continuation_it_waits_for_nobody() {
    it.publish("a", "b");
    it.future("a").thenRun(it.publisher::close);
    long before = it.time.nanoTime();

    it.broker.acks("a");

    assertThat(it.outcomes("a", "b")).containsExactly("CONFIRMED", "UNCERTAIN CHANNEL_LOST");
    assertThat(it.time.nanoTime() - before).isLessThan(TIMEOUT.toNanos());
  }

  @Test
  void from_a_continuation_it_ends_what_waits_for_its_target() {
    it.publish("a");
    it.future("a").thenRun(it.publisher::close);
    it.start("b", DelayedMessage.toQueue("not asked for yet").id("b"));

    it.time.busy("pocketwatch-admin");
    it.broker.acks("a");
    it.time.runAll();
    it.time.idle("pocketwatch-admin");

    assertThat(it.outcomes("a", "b")).containsExactly("CONFIRMED", "REJECTED NOT_PREPARED");
  }

  @Test
  void from_a_continuation_it_ends_what_waits_for_the_first_connection() {
    it = new HandDrivenPublisher();
    it.broker.goesAway();
    it.time.busy("pocketwatch-link");
    it.start("a", DelayedMessage.toQueue("orders").id("a"));
    it.future("a").thenRun(it.publisher::close);
    it.time.advance(ofSeconds(5));
    it.start("b", DelayedMessage.toQueue("orders").id("b"));

    it.waits(TIMEOUT);

    assertThat(it.outcome("a")).isEqualTo("REJECTED NOT_CONNECTED");
    assertThat(it.outcome("b")).isNotEqualTo("open");
  }
}
