// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import static io.pocketwatch.internal.publish.HandDrivenPublisher.TIMEOUT;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.TopologyException;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.testing.FakeBroker.Probe;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A broker that is set up, with failures, while messages come. */
class SetUpOrderTest {
  private static final String WHEEL_QUEUE = "pocketwatch.wheel.quorum.1s.1";

  private HandDrivenPublisher it = HandDrivenPublisher.connected();

  @AfterEach
  void nothing_is_left() {
    it.publisher.close();

    assertThat(it.open()).isEmpty();
    assertThat(it.time.permitsTaken()).isZero();
    assertThat(it.broker.connections()).isEmpty();
  }

  // The first connection

  @Test
  void the_first_message_connects() {
    it = new HandDrivenPublisher();
    assertThat(it.broker.connectionsMade("publish")).isZero();

    it.publish("a");
    it.broker.acks("a");

    assertThat(it.outcome("a")).isEqualTo("CONFIRMED");
  }

  @Test
  void a_message_waits_for_the_first_try_to_connect_and_no_longer_than_the_timeout() {
    it = new HandDrivenPublisher();
    it.time.busy("pocketwatch-link");
    it.start("a", DelayedMessage.toQueue("orders").id("a"));

    it.time.advance(TIMEOUT.minusMillis(1));
    assertThat(it.outcome("a")).isEqualTo("open");
    it.time.advance(ofMillis(1));

    assertThat(it.outcome("a")).isEqualTo("REJECTED NOT_CONNECTED");
    it.time.idle("pocketwatch-link");
  }

  @Test
  void a_set_up_that_is_refused_at_first_is_tried_again_until_it_succeeds() {
    it = new HandDrivenPublisher();
    it.broker.refuses("pocketwatch.release", AMQP.PRECONDITION_FAILED, "inequivalent arg 'type'");
    it.publish("a");
    assertThat(it.outcome("a")).startsWith("REJECTED");
    assertThat(it.publisher.status().connected()).isFalse();
    assertThat(it.publisher.status().connectionError()).contains("inequivalent arg 'type'");

    it.broker.allows("pocketwatch.release");
    it.waits(ofSeconds(2));

    assertThat(it.publisher.status().connected()).isTrue();
    it.publish("b");
    it.broker.acks("b");
    assertThat(it.outcome("b")).isEqualTo("CONFIRMED");
  }

  @Test
  void after_a_connect_that_is_refused_it_is_tried_again_until_it_succeeds() {
    it = new HandDrivenPublisher();
    it.broker.refuses("pocketwatch.release", AMQP.PRECONDITION_FAILED, "inequivalent arg 'type'");
    assertThatThrownBy(it.publisher::connect).isInstanceOf(TopologyException.class);
    assertThat(it.publisher.status().connectionError()).contains("inequivalent arg 'type'");

    connectsLater(() -> it.broker.allows("pocketwatch.release"));
  }

  @Test
  void after_a_connect_that_ends_in_an_error_it_is_tried_again() {
    it = new HandDrivenPublisher();
    it.broker.beforeNextAnswer(
        () -> {
          throw new OutOfMemoryError("thrown by the test");
        });
    assertThatThrownBy(it.publisher::connect).isInstanceOf(OutOfMemoryError.class);

    connectsLater(() -> {});
  }

  private void connectsLater(Runnable when) {
    when.run();
    it.waits(ofSeconds(2));

    assertThat(it.publisher.status().connected()).isTrue();
    it.publish("later");
    it.broker.acks("later");
    assertThat(it.outcome("later")).isEqualTo("CONFIRMED");
  }

  @Test
  void a_message_whose_answer_nobody_would_look_for_is_not_sent() {
    it = new HandDrivenPublisher();
    it.publisher.connect();
    it.publish("before");
    it.broker.acks("before");
    it.waits(ofSeconds(1));
    it.time.cannotStart("pocketwatch-link", true);
    it.publish("a");
    it.time.cannotStart("pocketwatch-link", false);

    assertThat(it.outcome("a")).isEqualTo("REJECTED NOT_CONNECTED");
    assertThat(it.detail("a")).contains("unable to create native thread");
    it.publish("after");
    it.broker.acks("after");
    assertThat(it.outcome("after")).isEqualTo("CONFIRMED");
  }

  @Test
  void a_message_without_a_thread_to_connect_fails_and_gives_its_place_back() {
    it = new HandDrivenPublisher();
    it.time.cannotStart("pocketwatch-link", true);
    it.publish("a");
    assertThat(it.outcome("a")).isEqualTo("OutOfMemoryError");
    it.time.cannotStart("pocketwatch-link", false);

    connectsLater(() -> it.publish("b"));
  }

  @Test
  void a_message_without_a_thread_to_ask_on_fails_and_gives_its_place_back() {
    it.time.cannotStart("pocketwatch-admin", true);
    it.publish("a", "b", "c", "d", "e");
    holdInQueueOfItsOwn("f");
    it.time.cannotStart("pocketwatch-admin", false);

    assertThat(it.outcomes("a", "e", "f")).containsOnly("OutOfMemoryError");
  }

  @Test
  void each_try_that_fails_closes_its_connection() {
    it.broker.refuses("pocketwatch.release", AMQP.PRECONDITION_FAILED, "inequivalent arg 'type'");
    it.broker.losesPublishConnection();

    it.waits(ofSeconds(20));

    assertThat(it.broker.connectionsMade("publish")).isGreaterThan(5);
    assertThat(it.broker.connections()).containsExactly("pocketwatch admin");
  }

  @Test
  void a_connection_lost_while_it_is_set_up_is_followed_by_another() {
    it.broker.beforeNextAnswer(it.broker::losesConnections);
    it.broker.losesPublishConnection();

    it.waits(ofSeconds(5));

    assertThat(it.publisher.status().connected()).isTrue();
  }

  @Test
  void a_broker_that_stops_answering_is_left_and_tried_again() {
    it.broker.silent(true);
    it.broker.losesPublishConnection();
    it.waits(ofSeconds(5));
    assertThat(it.publisher.status().connectionError()).contains("no answer in time");

    it.broker.silent(false);
    it.waits(ofSeconds(3));

    assertThat(it.publisher.status().connected()).isTrue();
  }

  @Test
  void the_pause_between_two_tries_grows_to_two_seconds() {
    it.broker.goesAway();
    it.time.advance(ofSeconds(20));

    it.broker.comesBack();
    it.time.advance(ofMillis(2_100));

    assertThat(it.publisher.status().connected()).isTrue();
  }

  // The wheel

  @Test
  void the_wheel_is_declared_once_and_before_the_first_message_that_needs_it() {
    assertThat(it.broker.queues()).doesNotContain(WHEEL_QUEUE);

    it.hold("a");
    it.hold("b");

    assertThat(it.broker.queues()).contains(WHEEL_QUEUE);
    assertThat(it.broker.asked()).containsOnlyOnce("queue.declare " + WHEEL_QUEUE);
    it.broker.acksUpTo("b");
    assertThat(it.outcomes("a", "b")).containsOnly("CONFIRMED");
  }

  @Test
  void on_the_next_connection_the_wheel_is_declared_before_anybody_asks() {
    it.hold("a");
    it.broker.loses(WHEEL_QUEUE);

    it.broker.losesConnections();
    it.waits(ofSeconds(1));

    assertThat(it.broker.queues()).contains(WHEEL_QUEUE);
  }

  @Test
  void a_wheel_that_is_refused_fails_its_message_and_is_tried_again_after_a_minute() {
    it.broker.refuses(WHEEL_QUEUE, AMQP.PRECONDITION_FAILED, "inequivalent arg 'x-message-ttl'");
    it.hold("a");
    it.broker.allows(WHEEL_QUEUE);
    it.hold("too soon");
    assertThat(it.outcomes("a", "too soon")).containsOnly("TopologyException");

    it.time.advance(ofSeconds(60));
    it.hold("b");
    it.broker.acks("b");

    assertThat(it.outcome("b")).isEqualTo("CONFIRMED");
  }

  @Test
  void on_another_connection_a_wheel_that_was_refused_is_tried_at_once() {
    it.broker.refuses(WHEEL_QUEUE, AMQP.PRECONDITION_FAILED, "inequivalent arg 'x-message-ttl'");
    it.hold("a");
    it.broker.allows(WHEEL_QUEUE);
    it.broker.losesConnections();
    it.waits(ofSeconds(1));

    it.hold("b");
    it.broker.acks("b");

    assertThat(it.outcomes("a", "b")).containsExactly("TopologyException", "CONFIRMED");
  }

  @Test
  void nothing_is_bound_to_a_wheel_of_which_a_queue_was_refused() {
    it.broker.refuses(WHEEL_QUEUE, AMQP.PRECONDITION_FAILED, "inequivalent arg 'x-message-ttl'");

    it.hold("a");

    assertThat(it.broker.asked()).doesNotContain("queue.bind pocketwatch.wheel.quorum.1s.2");
  }

  @Test
  void a_probe_that_never_comes_back_rejects_what_waits_for_it() {
    it.broker.probe(Probe.GETS_LOST);

    it.hold("a");

    assertThat(it.outcome("a")).isEqualTo("REJECTED NOT_PREPARED");
    assertThat(it.broker.sentIds()).isEmpty();
  }

  @Test
  void after_a_probe_that_got_lost_the_next_message_sends_another() {
    it.broker.probe(Probe.GETS_LOST);
    it.hold("a");
    it.broker.probe(Probe.COMES_BACK);

    it.hold("b");
    it.broker.acks("b");

    assertThat(it.outcome("b")).isEqualTo("CONFIRMED");
  }

  @Test
  void behind_a_probe_without_an_answer_a_message_waits_no_longer_than_its_own_timeout() {
    it.publish("known");
    it.broker.acks("known");
    it.broker.probe(Probe.IS_NOT_ANSWERED);
    it.time.later(ofSeconds(1), () -> it.publish("a"));
    String[] after = new String[1];
    it.time.later(TIMEOUT.plusMillis(1_200), () -> after[0] = it.outcome("a"));

    it.hold("needs the wheel");

    assertThat(after[0]).isEqualTo("UNCERTAIN NO_ANSWER");
  }

  @Test
  void a_blocked_broker_is_not_probed_and_the_wheel_is_used_when_it_takes_messages_again() {
    it.broker.probe(Probe.IS_NOT_ANSWERED);
    it.time.later(ofMillis(50), () -> it.broker.blocks("low on memory"));
    it.hold("a");
    assertThat(it.outcome("a")).isEqualTo("REJECTED BLOCKED");

    it.broker.unblocks();
    it.hold("b");
    it.broker.acks("b");

    assertThat(it.outcome("b")).isEqualTo("CONFIRMED");
  }

  @Test
  void a_connection_lost_while_it_is_probed_rejects_what_waits_and_is_no_fault_of_the_topology() {
    it.broker.probe(Probe.IS_NOT_ANSWERED);
    it.time.later(ofSeconds(1), it.broker::losesConnections);

    it.hold("a");

    assertThat(it.outcome("a")).isEqualTo("REJECTED NOT_PREPARED");
    assertThat(it.detail("a")).contains("lost while probing");
  }

  // What is held

  @Test
  void what_was_waited_for_the_target_is_not_held_again() {
    it.hold("a");
    it.broker.hasExchange("depot");
    it.broker.beforeNextAnswer(() -> it.time.advance(ofSeconds(2)));

    it.start("b", DelayedMessage.to("depot", "paid").id("b").delay(ofSeconds(5)));
    it.time.runAll();

    assertThat(it.broker.sent("a").properties().getHeaders().get("BCC")).asString().contains("-5");
    assertThat(it.broker.sent("b").properties().getHeaders().get("BCC")).asString().contains("-3");
  }

  // Temporary queues

  @Test
  void a_temporary_queue_is_deleted_when_it_has_lingered() {
    holdInQueueOfItsOwn("a");
    it.broker.acks("a");
    assertThat(it.outcome("a")).isEqualTo("CONFIRMED");
    it.time.advance(ofMinutes(7));
    assertThat(temporaryQueues()).hasSize(1);

    it.time.advance(ofSeconds(6));

    assertThat(temporaryQueues()).isEmpty();
  }

  @Test
  void one_that_there_is_no_thread_to_delete_is_deleted_later() {
    holdInQueueOfItsOwn("a");
    it.broker.acks("a");
    it.time.cannotStart("pocketwatch-admin", true);
    it.time.advance(ofMinutes(8));
    it.time.cannotStart("pocketwatch-admin", false);
    assertThat(temporaryQueues()).hasSize(1);

    it.time.advance(ofMinutes(7));

    assertThat(temporaryQueues()).isEmpty();
  }

  @Test
  void one_whose_clean_up_finds_no_thread_keeps_no_message_open() {
    holdInQueueOfItsOwn("a");
    it.time.cannotStart("pocketwatch-janitor", true);
    assertThatThrownBy(() -> it.broker.acks("a")).isInstanceOf(OutOfMemoryError.class);
    it.time.cannotStart("pocketwatch-janitor", false);

    assertThat(it.outcome("a")).isEqualTo("CONFIRMED");
  }

  @Test
  void one_whose_message_was_refused_is_left_to_its_expiry() {
    holdInQueueOfItsOwn("a");
    it.broker.nacks("a");
    assertThat(it.outcome("a")).isEqualTo("REJECTED NACKED");

    it.time.advance(ofHours(1));

    assertThat(temporaryQueues()).hasSize(1);
  }

  @Test
  void one_declared_too_late_gets_no_message_and_is_left_to_its_expiry() {
    holdInQueueOfItsOwn("known");
    it.broker.acks("known");
    it.broker.beforeNextAnswer(() -> it.time.advance(TIMEOUT.plusSeconds(1)));
    holdInQueueOfItsOwn("a");
    assertThat(it.outcome("a")).isEqualTo("REJECTED NOT_PREPARED");

    it.time.advance(ofHours(1));

    assertThat(temporaryQueues()).hasSize(1);
    assertThat(it.broker.sentIds()).containsExactly("known");
  }

  private void holdInQueueOfItsOwn(String id) {
    DelayedMessage message = DelayedMessage.to("shop", "paid").id(id).delay(ofSeconds(5));
    it.start(id, message.strategy(DelayStrategy.TEMPORARY_QUEUE));
    it.time.advance(ofMillis(100));
  }

  private List<String> temporaryQueues() {
    return it.broker.queues().stream().filter(each -> each.contains(".temporary.")).toList();
  }

  // Targets

  @Test
  void a_target_that_is_missing_takes_nothing_until_it_is_declared() {
    it.start("a", DelayedMessage.toQueue("invoices").id("a"));
    assertThat(it.outcome("a")).isEqualTo("UnknownTargetException");

    it.broker.hasQueue("invoices");
    it.start("b", DelayedMessage.toQueue("invoices").id("b"));
    it.time.runAll();

    assertThat(it.broker.sentIds()).containsExactly("b");
  }

  @Test
  void a_target_that_may_have_closed_the_channel_is_asked_for_again() {
    it.start("a", DelayedMessage.to("shop", "paid").id("a"));
    it.time.runAll();
    it.broker.loses("shop");
    it.broker.closesChannelOf("a", AMQP.NOT_FOUND, "NOT_FOUND - no exchange 'shop' in vhost '/'");
    it.start("b", DelayedMessage.to("shop", "paid").id("b"));

    assertThat(it.outcomes("a", "b"))
        .containsExactly("UNCERTAIN NO_EXCHANGE", "UnknownTargetException");
  }

  @Test
  void with_assume_a_missing_exchange_takes_nothing_for_half_a_minute() {
    it.publisher.close();
    it = new HandDrivenPublisher(TopologyMode.ASSUME);
    it.publisher.connect();
    it.start("a", DelayedMessage.to("shop", "paid").id("a"));
    it.publish("a neighbour");
    it.broker.closesChannelOf("a", AMQP.NOT_FOUND, "NOT_FOUND - no exchange 'shop' in vhost '/'");
    it.start("b", DelayedMessage.to("shop", "paid").id("b"));
    assertThat(it.outcomes("a", "a neighbour", "b"))
        .containsExactly("UNCERTAIN NO_EXCHANGE", "UNCERTAIN CHANNEL_LOST", "TopologyException");

    it.time.advance(ofSeconds(31));
    it.start("c", DelayedMessage.to("shop", "paid").id("c"));
    it.time.runAll();

    assertThat(it.broker.sentIds()).containsExactly("a", "a neighbour", "c");
  }

  @Test
  void an_exchange_that_refuses_publishing_is_left_alone_for_half_a_minute() {
    it.start("a", DelayedMessage.to("shop", "paid").id("a"));
    it.publish("a neighbour");
    it.broker.closesChannelOf(
        "a",
        AMQP.ACCESS_REFUSED,
        "ACCESS_REFUSED - write access to exchange 'shop' in vhost '/' refused for user 'guest'");
    assertThat(it.outcomes("a", "a neighbour"))
        .containsExactly("UNCERTAIN EXCHANGE_REFUSED", "UNCERTAIN CHANNEL_LOST");
    it.start("b", DelayedMessage.to("shop", "paid").id("b"));
    assertThat(it.outcome("b")).isEqualTo("TopologyException");

    it.time.advance(ofSeconds(31));
    it.start("c", DelayedMessage.to("shop", "paid").id("c"));
    it.time.runAll();

    assertThat(it.broker.sentIds()).containsExactly("a", "a neighbour", "c");
  }

  @Test
  void a_silent_broker_rejects_what_asks_for_its_target() {
    it.broker.silent(true);

    it.publish("a");

    assertThat(it.outcome("a")).isEqualTo("REJECTED NOT_PREPARED");
  }

  @Test
  void a_target_that_is_not_answered_for_in_time_rejects_its_message_for_good() {
    it.time.busy("pocketwatch-admin");
    it.start("a", DelayedMessage.toQueue("orders").id("a"));
    it.time.advance(TIMEOUT);
    assertThat(it.outcome("a")).isEqualTo("REJECTED NOT_PREPARED");

    it.time.idle("pocketwatch-admin");
    it.time.runAll();

    assertThat(it.broker.sentIds()).isEmpty();
  }
}
