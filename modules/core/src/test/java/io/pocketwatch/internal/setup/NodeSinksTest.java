// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.setup;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Address;
import io.pocketwatch.internal.amqp.Connections;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.testing.FakeBroker;
import io.pocketwatch.testing.HandScheduler;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A node that has a sink of its own, and one that cannot be asked. */
class NodeSinksTest {
  private final HandScheduler time = new HandScheduler();
  private final FakeBroker broker = new FakeBroker(time);
  private final Connections connections =
      new Connections(broker.factory(), () -> List.of(new Address("node-1")));
  private final NodeSinks sinks = new NodeSinks(connections, new Names("pocketwatch"), time);

  @Test
  void a_node_without_a_sink_gets_the_first() throws Exception {
    sinks.declareMissing();

    assertThat(broker.queues()).containsExactly("pocketwatch.sink.1");
    assertThat(broker.isBound("pocketwatch.sink", "pocketwatch.sink.1")).isTrue();
    assertThat(broker.connections()).isEmpty();
  }

  @Test
  void a_node_that_has_one_gets_no_other() throws Exception {
    sinks.declareMissing();
    new NodeSinks(connections, new Names("pocketwatch"), time).declareMissing();

    assertThat(broker.queues()).containsExactly("pocketwatch.sink.1");
  }

  @Test
  void a_node_that_was_asked_is_not_asked_again() throws Exception {
    sinks.declareMissing();
    sinks.declareMissing();

    assertThat(broker.connectionsMade("sink")).isEqualTo(1);
  }

  @Test
  void a_node_that_is_away_is_left_out_and_asked_the_next_time() throws Exception {
    broker.goesAway();
    sinks.declareMissing();
    broker.comesBack();

    sinks.declareMissing();

    assertThat(broker.queues()).containsExactly("pocketwatch.sink.1");
  }

  @Test
  void a_node_that_takes_the_question_and_does_not_answer_is_left_out_after_five_seconds()
      throws Exception {
    broker.answersForSinks(false);
    long before = time.nanoTime();

    sinks.declareMissing();

    assertThat(time.nanoTime() - before).isEqualTo(5_000_000_000L);
    assertThat(broker.queues()).isEmpty();
    assertThat(broker.connections()).isEmpty();
  }
}
