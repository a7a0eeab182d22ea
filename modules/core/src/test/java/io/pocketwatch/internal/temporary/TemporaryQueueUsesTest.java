// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.temporary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.config.TemporaryQueueOptions;
import io.pocketwatch.internal.amqp.AdminChannels;
import io.pocketwatch.internal.amqp.Connections;
import io.pocketwatch.internal.amqp.NothingSentException;
import io.pocketwatch.internal.temporary.TemporaryQueueUses.Use;
import io.pocketwatch.testing.FakeBroker;
import io.pocketwatch.testing.HandScheduler;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TemporaryQueueUsesTest {
  private static final Duration LONG = Duration.ofDays(1);

  private final HandScheduler time = new HandScheduler();
  private final FakeBroker broker = new FakeBroker(time);
  private Duration uptime = Duration.ofDays(1);
  private final TemporaryQueueUses uses =
      new TemporaryQueueUses(
          new AdminChannels(new Connections(broker.factory(), List::of)),
          TemporaryQueueOptions.builder().max(2).linger(Duration.ofMinutes(1)).build(),
          () -> uptime,
          Runnable::run,
          time);

  @AfterEach
  void close() {
    uses.close();
  }

  @Test
  void a_held_message_is_not_held_twice() {
    assertThat(uses.reserve("a", "queue-a", false)).isNull();
    uses.used("queue-a", Use.HELD, LONG);

    assertThatThrownBy(() -> uses.reserve("a", "queue-a", false))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining("held already");
  }

  @Test
  void a_stored_message_replaces_its_earlier_copy() {
    uses.reserve("a", "queue-a", true);
    uses.used("queue-a", Use.HELD, LONG);

    assertThat(uses.reserve("a", "queue-a", true))
        .as("there is a queue to be removed")
        .isEqualTo(Use.HELD);
  }

  @Test
  void what_got_no_answer_may_be_sent_again() {
    uses.reserve("a", "queue-a", false);
    uses.used("queue-a", Use.UNSURE, LONG);

    assertThat(uses.reserve("a", "queue-a", false)).isEqualTo(Use.UNSURE);
  }

  @Test
  void an_attempt_that_is_not_over_puts_the_next_one_off() {
    uses.reserve("a", "queue-a", false);
    assertPutOff();
    uses.unanswered("queue-a");
    time.advance(Duration.ofSeconds(29));
    assertPutOff();

    time.advance(Duration.ofSeconds(1));

    assertThat(uses.reserve("a", "queue-a", false)).isNull();
  }

  @Test
  void an_attempt_that_declared_nothing_leaves_what_was_before() {
    uses.reserve("a", "queue-a", false);
    uses.used("queue-a", Use.UNSURE, LONG);
    Use before = uses.reserve("a", "queue-a", false);
    uses.set("queue-a", before);

    assertThat(uses.is("queue-a", Use.UNSURE)).isTrue();
  }

  @Test
  void the_limit_counts_queues_and_not_attempts() {
    uses.reserve("a", "queue-a", false);
    uses.reserve("b", "queue-b", false);
    uses.used("queue-b", Use.UNSURE, LONG);

    assertThat(uses.reserve("b", "queue-b", false)).isEqualTo(Use.UNSURE);
    assertThatThrownBy(() -> uses.reserve("c", "queue-c", false))
        .isInstanceOf(NothingSentException.class)
        .hasMessageContaining("2 temporary queues");
  }

  @Test
  void one_that_got_no_message_gives_its_place_back_and_is_left_to_its_expiry() {
    broker.hasQueue("queue-a");
    uses.reserve("a", "queue-a", false);
    uses.reserve("b", "queue-b", false);
    uses.forget("queue-a");

    assertThat(uses.reserve("c", "queue-c", false)).isNull();
    time.advance(LONG);
    assertThat(broker.asked()).isEmpty();
  }

  @Test
  void one_whose_message_is_gone_is_deleted() {
    broker.hasQueue("queue-a");
    uses.reserve("a", "queue-a", false);
    uses.used("queue-a", Use.HELD, LONG);

    time.advance(LONG);

    assertThat(broker.queues()).isEmpty();
    assertThat(uses.is("queue-a", Use.HELD)).isFalse();
  }

  @Test
  void after_an_outage_a_queue_is_not_looked_into_before_it_has_lingered() {
    broker.hasQueue("queue-a");
    uses.reserve("a", "queue-a", false);
    uses.used("queue-a", Use.HELD, LONG);
    uptime = Duration.ofSeconds(59);

    time.advance(LONG);
    assertThat(broker.asked()).isEmpty();
    uptime = Duration.ofSeconds(60);
    time.advance(Duration.ofSeconds(1));

    assertThat(broker.queues()).isEmpty();
  }

  private void assertPutOff() {
    assertThatThrownBy(() -> uses.reserve("a", "queue-a", false))
        .isInstanceOf(NothingSentException.class)
        .hasMessageContaining("not over");
  }
}
