// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.temporary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.internal.amqp.NothingSentException;
import io.pocketwatch.internal.temporary.TemporaryQueueUses.Use;
import org.junit.jupiter.api.Test;

class TemporaryQueueUsesTest {
  private final TemporaryQueueUses uses = new TemporaryQueueUses(2);

  @Test
  void a_held_message_is_not_held_twice() {
    assertThat(uses.reserve("a", "queue-a", false)).isFalse();
    uses.set("queue-a", Use.HELD);

    assertThatThrownBy(() -> uses.reserve("a", "queue-a", false))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining("held already");
  }

  @Test
  void a_stored_message_replaces_its_earlier_copy() {
    uses.reserve("a", "queue-a", true);
    uses.set("queue-a", Use.HELD);
    assertThat(uses.is("queue-a", Use.HELD)).isTrue();

    assertThat(uses.reserve("a", "queue-a", true)).as("there is a queue to be removed").isTrue();
    assertThat(uses.is("queue-a", Use.HELD)).isFalse();
  }

  @Test
  void what_was_not_sent_or_got_no_answer_may_be_sent_again() {
    uses.reserve("a", "queue-a", false);
    uses.set("queue-a", Use.VACANT);
    assertThat(uses.reserve("a", "queue-a", false)).as("a queue may have been left").isTrue();
    uses.set("queue-a", Use.UNSURE);

    assertThat(uses.reserve("a", "queue-a", false)).isTrue();
  }

  @Test
  void an_attempt_that_is_not_over_puts_the_next_one_off() {
    uses.reserve("a", "queue-a", false);
    assertPutOff();
    uses.set("queue-a", Use.VACANT);
    assertThat(uses.replace("queue-a", Use.VACANT, Use.LEAVING)).isTrue();
    assertPutOff();
    uses.forget("queue-a");

    assertThat(uses.reserve("a", "queue-a", false)).isFalse();
  }

  @Test
  void a_declaration_without_an_answer_puts_the_next_one_off() {
    uses.reserve("a", "queue-a", false);
    uses.set("queue-a", Use.UNANSWERED);
    assertPutOff();
    assertThat(uses.replace("queue-a", Use.VACANT, Use.LEAVING))
        .as("removed while the nodes may be recovering")
        .isFalse();
    assertThat(uses.replace("queue-a", Use.UNANSWERED, Use.VACANT)).isTrue();
    assertThat(uses.reserve("a", "queue-a", false)).isTrue();
    uses.set("queue-a", Use.HELD);
    assertThat(uses.replace("queue-a", Use.UNANSWERED, Use.VACANT))
        .as("the look of the attempt before")
        .isFalse();
    assertThat(uses.is("queue-a", Use.HELD)).isTrue();
  }

  @Test
  void a_queue_is_not_removed_under_a_message_that_was_sent_again() {
    uses.reserve("a", "queue-a", false);
    uses.set("queue-a", Use.VACANT);
    uses.reserve("a", "queue-a", false);

    assertThat(uses.replace("queue-a", Use.VACANT, Use.LEAVING))
        .as("the clean-up of the attempt before")
        .isFalse();
  }

  @Test
  void the_limit_counts_queues_and_not_attempts() {
    uses.reserve("a", "queue-a", false);
    uses.reserve("b", "queue-b", false);
    uses.set("queue-b", Use.VACANT);

    assertThat(uses.reserve("b", "queue-b", false)).isTrue();
    assertThatThrownBy(() -> uses.reserve("c", "queue-c", false))
        .isInstanceOf(NothingSentException.class)
        .hasMessageContaining("2 temporary queues");
  }

  private void assertPutOff() {
    assertThatThrownBy(() -> uses.reserve("a", "queue-a", false))
        .isInstanceOf(NothingSentException.class)
        .hasMessageContaining("not over");
  }
}
