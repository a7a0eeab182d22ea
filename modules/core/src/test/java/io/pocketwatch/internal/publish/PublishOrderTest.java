// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import static io.pocketwatch.internal.publish.HandDrivenPublisher.TIMEOUT;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.config.HoldQueues;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Orders of events between a publish call and the broker's answer. */
class PublishOrderTest {
  private final HandDrivenPublisher it = HandDrivenPublisher.connected();

  @AfterEach
  void nothing_is_left() {
    it.publisher.close();

    assertThat(it.open()).isEmpty();
    assertThat(it.time.permitsTaken()).isZero();
    assertThat(it.broker.connections()).isEmpty();
  }

  // Answers

  @Test
  void an_acknowledged_message_is_confirmed() {
    it.publish("a");
    assertThat(it.outcome("a")).isEqualTo("open");

    it.broker.acks("a");

    assertThat(it.outcome("a")).isEqualTo("CONFIRMED");
    assertThat(it.broker.sent("a").body()).asString().isEqualTo("body of a");
  }

  @Test
  void one_acknowledged_before_the_call_that_sends_it_has_returned_is_confirmed() {
    it.broker.duringNextSend(() -> it.broker.acks("a"));

    it.publish("a");

    assertThat(it.outcome("a")).isEqualTo("CONFIRMED");
  }

  @Test
  void acks_may_come_in_any_order() {
    it.publish("a", "b", "c");

    it.broker.acks("c");
    it.broker.acks("a");

    assertThat(it.outcomes("a", "b", "c")).containsExactly("CONFIRMED", "open", "CONFIRMED");
  }

  @Test
  void one_ack_may_be_for_all_up_to_a_message() {
    it.publish("a", "b", "c", "d");
    it.broker.acks("b");

    it.broker.acksUpTo("c");

    assertThat(it.outcomes("a", "b", "c", "d"))
        .containsExactly("CONFIRMED", "CONFIRMED", "CONFIRMED", "open");
  }

  @Test
  void a_refused_message_is_rejected_and_its_neighbours_are_not() {
    it.publish("a", "b");

    it.broker.nacks("a");

    assertThat(it.outcomes("a", "b")).containsExactly("REJECTED NACKED", "open");
  }

  @Test
  void one_refusal_may_be_for_all_up_to_a_message() {
    it.publish("a", "b", "c");

    it.broker.nacksUpTo(it.broker.sent("b"));

    assertThat(it.outcomes("a", "b", "c"))
        .containsExactly("REJECTED NACKED", "REJECTED NACKED", "open");
  }

  @Test
  void a_refusal_of_what_a_classic_queue_may_hold_is_uncertain() {
    HandDrivenPublisher classic = new HandDrivenPublisher(null, HoldQueues.classicAcceptingLoss());
    classic.hold("a");

    classic.broker.nacks("a");

    assertThat(classic.outcome("a")).isEqualTo("UNCERTAIN NACKED");
  }

  @Test
  void a_returned_message_ends_with_its_ack_and_not_before() throws Exception {
    it.publish("a", "b");

    it.broker.returns("a");
    assertThat(it.outcome("a")).isEqualTo("open");
    it.broker.acksUpTo("b");

    assertThat(it.outcomes("a", "b")).containsExactly("RETURNED NO_ROUTE", "CONFIRMED");
  }

  @Test
  void of_two_with_one_id_only_the_returned_one_counts_as_returned() throws Exception {
    it.publish("a");
    it.broker.hasQueue("invoices");
    it.start("a2", DelayedMessage.toQueue("invoices").id("a"));
    it.time.runAll();

    it.broker.returns(it.broker.sent().get(1));
    it.broker.acksUpTo(it.broker.sent().get(1));

    assertThat(it.outcomes("a", "a2")).containsExactly("CONFIRMED", "RETURNED NO_ROUTE");
  }

  @Test
  void of_two_equal_messages_each_return_is_for_another() throws Exception {
    it.publish("a");
    it.start("a again", DelayedMessage.toQueue("orders").id("a"));
    it.time.runAll();

    it.broker.returns(it.broker.sent().get(0));
    it.broker.returns(it.broker.sent().get(1));
    it.broker.acksUpTo(it.broker.sent().get(1));

    assertThat(it.outcomes("a", "a again")).containsOnly("RETURNED NO_ROUTE");
  }

  @Test
  void a_returned_message_whose_connection_goes_before_its_ack_is_uncertain() throws Exception {
    it.publish("a");
    it.broker.returns("a");

    it.broker.losesConnections();

    assertThat(it.outcome("a")).isEqualTo("UNCERTAIN CHANNEL_LOST");
  }

  // No answer

  @Test
  void without_an_answer_in_time_it_is_uncertain() {
    it.publish("a");

    it.time.advance(TIMEOUT.minusMillis(1));
    assertThat(it.outcome("a")).isEqualTo("open");
    it.waits(ofMillis(1));

    assertThat(it.outcome("a")).isEqualTo("UNCERTAIN NO_ANSWER");
  }

  @Test
  void an_ack_that_comes_too_late_is_nobodys() {
    it.publish("a");
    it.waits(TIMEOUT);
    it.publish("b");

    it.broker.acks("a");

    assertThat(it.outcomes("a", "b")).containsExactly("UNCERTAIN NO_ANSWER", "open");
  }

  @Test
  void one_without_an_answer_does_not_keep_those_after_it_from_theirs() {
    it.publish("a");
    it.waits(ofSeconds(3));
    it.publish("b");

    it.broker.acks("b");
    it.waits(TIMEOUT.minusSeconds(3));

    assertThat(it.outcomes("a", "b")).containsExactly("UNCERTAIN NO_ANSWER", "CONFIRMED");
  }

  @Test
  void each_waits_for_its_own_answer_so_long() {
    it.publish("a");
    it.waits(ofSeconds(3));
    it.publish("b");

    it.waits(TIMEOUT.minusSeconds(3));

    assertThat(it.outcomes("a", "b")).containsExactly("UNCERTAIN NO_ANSWER", "open");
  }

  // Lost connections and channels

  @Test
  void a_connection_lost_between_send_and_confirm_leaves_it_uncertain() {
    it.publish("a");

    it.broker.losesConnections();

    assertThat(it.outcome("a")).isEqualTo("UNCERTAIN CHANNEL_LOST");
    assertThat(it.detail("a")).contains("lost before the broker answered");
  }

  @Test
  void what_was_sent_is_not_sent_again_on_the_next_connection() {
    it.publish("a");
    it.broker.losesConnections();
    it.waits(ofSeconds(1));
    it.publish("b");

    it.broker.acks("b");

    assertThat(it.outcome("b")).isEqualTo("CONFIRMED");
    assertThat(it.broker.sentIds()).containsExactly("a", "b");
  }

  @Test
  void without_a_connection_a_message_is_rejected_and_not_kept() {
    it.publish("known");
    it.broker.acks("known");
    it.broker.goesAway();
    it.publish("a");
    it.start("b", DelayedMessage.toQueue("a queue not asked for yet").id("b"));
    assertThat(it.outcomes("a", "b"))
        .containsExactly("REJECTED NOT_CONNECTED", "REJECTED NOT_PREPARED");

    it.broker.comesBack();
    it.waits(ofSeconds(2));

    assertThat(it.broker.sentIds()).containsExactly("known");
  }

  @Test
  void a_lost_connection_comes_back_however_often_it_could_not() {
    it.broker.goesAway();
    it.waits(ofSeconds(60));
    assertThat(it.publisher.status().connected()).isFalse();
    assertThat(it.publisher.status().connectionError()).contains("Connection refused");

    it.broker.comesBack();
    it.waits(ofSeconds(2));

    assertThat(it.publisher.status().connected()).isTrue();
    assertThat(it.publisher.status().connectionError()).isNull();
  }

  @Test
  void a_connection_lost_before_anybody_has_noticed_takes_nothing() {
    it.publish("a");
    Runnable notice = it.broker.losesConnectionsUnnoticed();

    it.publish("b");
    assertThat(it.outcomes("a", "b")).containsExactly("open", "REJECTED NOT_CONNECTED");
    notice.run();

    assertThat(it.outcome("a")).isEqualTo("UNCERTAIN CHANNEL_LOST");
  }

  @Test
  void a_channel_closed_under_four_publishers_leaves_all_four_uncertain() {
    it.publish("a", "b", "c", "d");

    it.broker.closesChannelOf("c", AMQP.INTERNAL_ERROR, "INTERNAL_ERROR");

    assertThat(it.outcomes("a", "b", "c", "d")).containsOnly("UNCERTAIN CHANNEL_LOST");
    assertThat(it.publisher.status().connected()).isTrue();
  }

  /** What others do to their channel says nothing of it. */
  @Test
  void what_may_close_its_channel_shares_it_with_no_other() {
    it.publish("a");
    it.publishOnChannelOfItsOwn("suspect");
    it.broker.closesChannelOf("a", AMQP.PRECONDITION_FAILED, "PRECONDITION_FAILED - too large");
    it.broker.acks("suspect");
    assertThat(it.outcomes("a", "suspect")).containsExactly("UNCERTAIN CHANNEL_LOST", "CONFIRMED");

    it.publish("b");
    it.publishOnChannelOfItsOwn("culprit");
    it.broker.closesChannelOf(
        "culprit", AMQP.PRECONDITION_FAILED, "PRECONDITION_FAILED - too large");
    it.broker.acks("b");
    assertThat(it.outcomes("b", "culprit")).containsExactly("CONFIRMED", "UNCERTAIN CHANNEL_LOST");
    it.publishOnChannelOfItsOwn("next");
    it.broker.acks("next");
    assertThat(it.outcome("next")).isEqualTo("CONFIRMED");
  }

  @Test
  void what_may_close_its_own_channel_is_uncertain_if_nobody_answers() {
    it.publishOnChannelOfItsOwn("suspect");

    it.waits(TIMEOUT);

    assertThat(it.outcome("suspect")).isEqualTo("UNCERTAIN NO_ANSWER");
  }

  @Test
  void after_a_closed_channel_there_is_another_which_counts_from_one() {
    it.publish("a", "b");
    it.broker.closesChannelOf("a", AMQP.INTERNAL_ERROR, "INTERNAL_ERROR");
    it.publish("c", "d");

    it.broker.acks("d");

    assertThat(it.outcomes("c", "d")).containsExactly("open", "CONFIRMED");
  }

  @Test
  void a_closed_channel_of_which_the_client_tells_nobody_ends_with_its_connection() {
    it.publish("a");
    it.broker.closesChannelUntold("a");
    assertThat(it.outcome("a")).isEqualTo("open");

    it.broker.losesConnections();

    assertThat(it.outcome("a")).isEqualTo("UNCERTAIN CHANNEL_LOST");
  }

  // Failing while sending

  @Test
  void a_channel_found_closed_by_the_write_has_sent_nothing() {
    it.publish("a");
    it.broker.beforeNextSend(() -> it.broker.closesChannelUntold("a"));

    it.publish("b");

    assertThat(it.outcome("b")).isEqualTo("REJECTED CHANNEL_LOST");
    assertThat(it.detail("b")).contains("nothing was sent");
    assertThat(it.broker.sentIds()).containsExactly("a");
  }

  @Test
  void a_channel_that_tells_of_its_end_just_before_the_write_leaves_it_uncertain() {
    it.publish("a");
    it.broker.beforeNextSend(
        () -> it.broker.closesChannelOf("a", AMQP.INTERNAL_ERROR, "INTERNAL_ERROR"));

    it.publish("b");

    assertThat(it.outcomes("a", "b")).containsOnly("UNCERTAIN CHANNEL_LOST");
  }

  @Test
  void a_send_that_throws_half_way_is_uncertain_and_takes_its_channel_with_it() {
    it.publish("a");
    it.broker.duringNextSend(
        () -> {
          throw new IOException("broken pipe");
        });

    it.publish("b");

    assertThat(it.outcomes("a", "b"))
        .containsExactly("UNCERTAIN CHANNEL_LOST", "UNCERTAIN CHANNEL_LOST");
    assertThat(it.detail("b")).contains("half-way", "broken pipe");
    it.publish("c");
    it.broker.acks("c");
    assertThat(it.outcome("c")).isEqualTo("CONFIRMED");
  }

  @Test
  void an_error_while_sending_is_a_send_half_way() {
    it.broker.duringNextSend(
        () -> {
          throw new OutOfMemoryError("thrown by the test");
        });

    it.publish("a");

    assertThat(it.outcome("a")).isEqualTo("UNCERTAIN CHANNEL_LOST");
  }

  @Test
  void a_write_that_is_stuck_ends_its_connection() {
    it.publish("a");
    it.broker.duringNextSend(
        () -> {
          it.time.advance(TIMEOUT.plus(ofMillis(300)));
          throw new IOException("Socket closed");
        });

    it.publish("b");

    assertThat(it.outcomes("a", "b")).containsExactly("UNCERTAIN NO_ANSWER", "UNCERTAIN NO_ANSWER");
    assertThat(it.publisher.status().connected()).as("by now there is another").isTrue();
    assertThat(it.broker.connectionsMade("publish")).isEqualTo(2);
  }

  @Test
  void a_write_that_takes_less_than_the_timeout_ends_nothing() {
    it.broker.duringNextSend(() -> it.time.advance(TIMEOUT.minusSeconds(1)));
    it.publish("a");

    it.broker.acks("a");

    assertThat(it.outcome("a")).isEqualTo("CONFIRMED");
    it.waits(TIMEOUT.multipliedBy(3));
    assertThat(it.broker.connectionsMade("publish")).isEqualTo(1);
  }

  // Blocked

  @Test
  void while_the_broker_blocks_publishers_nothing_is_sent() {
    it.broker.blocks("low on memory");
    it.publish("a");

    assertThat(it.outcome("a")).isEqualTo("REJECTED BLOCKED");
    assertThat(it.detail("a")).contains("low on memory");
    assertThat(it.publisher.status().blockedReason()).isEqualTo("low on memory");
    assertThat(it.broker.sentIds()).isEmpty();
  }

  @Test
  void what_was_sent_before_the_block_still_gets_its_answer() {
    it.publish("a");
    it.broker.blocks("low on memory");

    it.broker.acks("a");

    assertThat(it.outcome("a")).isEqualTo("CONFIRMED");
  }

  @Test
  void unblocked_it_sends_again() {
    it.broker.blocks("low on memory");
    it.broker.unblocks();
    it.publish("a");

    it.broker.acks("a");

    assertThat(it.outcome("a")).isEqualTo("CONFIRMED");
    assertThat(it.publisher.status().blockedReason()).isNull();
  }

  @Test
  void a_block_ends_with_its_connection() {
    it.broker.blocks("low on memory");
    it.broker.losesConnections();
    it.waits(ofSeconds(1));

    it.publish("a");

    assertThat(it.broker.sentIds()).containsExactly("a");
  }

  // Places in flight

  @Test
  void at_the_limit_a_call_waits_until_a_place_is_free() {
    it.publish("a", "b", "c", "d");
    it.time.later(ofSeconds(3), () -> it.broker.acks("b"));

    it.publish("e");

    assertThat(it.broker.sentIds()).containsExactly("a", "b", "c", "d", "e");
  }

  @Test
  void at_the_limit_a_call_that_waits_too_long_is_rejected() {
    it.publish("a", "b", "c", "d");
    it.time.busy("pocketwatch-callback"); // with a continuation, so that no place is given back

    it.publish("e");
    assertThat(it.open()).containsExactly("a", "b", "c", "d");
    it.time.idle("pocketwatch-callback");

    assertThat(it.outcome("e")).isEqualTo("REJECTED NO_ROOM");
    assertThat(it.broker.sentIds()).doesNotContain("e");
  }

  @Test
  void each_way_to_end_gives_its_place_back() throws Exception {
    it.publish("acked", "nacked", "returned", "silent");
    it.broker.acks("acked");
    it.broker.nacks("nacked");
    it.broker.returns("returned");
    it.broker.acks("returned");
    it.waits(TIMEOUT);

    assertThat(it.time.permitsTaken()).isZero();
  }

  @Test
  void a_continuation_that_publishes_does_not_wait_for_its_own_place() {
    it.publish("a", "b", "c", "d");
    it.future("a")
        .thenRun(() -> it.start("from a continuation", DelayedMessage.toQueue("orders").id("x")));
    it.time.later(Duration.ZERO, () -> it.broker.acks("a"));
    long before = it.time.nanoTime();

    it.time.runAll();

    assertThat(it.time.nanoTime()).isEqualTo(before);
    assertThat(it.broker.sentIds()).endsWith("x");
  }
}
