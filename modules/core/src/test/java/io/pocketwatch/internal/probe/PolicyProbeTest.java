// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Connection;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.testing.FakeBroker;
import io.pocketwatch.testing.HandScheduler;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** It leaves nothing behind, however it ends. */
class PolicyProbeTest {
  private static final int MORE_THAN_IT_SENDS = 50;

  private final HandScheduler time = new HandScheduler();
  private final FakeBroker broker = new FakeBroker(time);
  private Connection connection;
  private PolicyProbe probe;

  @BeforeEach
  void open() throws Exception {
    connection = broker.factory().newConnection("pocketwatch publish");
    probe = new PolicyProbe(connection, HoldOptions.defaults(), "token", time);
  }

  @Test
  void one_that_went_through() throws Exception {
    answersAll();
    probe.begin();
    assertThat(broker.queues()).contains("pocketwatch.probe.token.quorum");
    assertThat(probe.end(Duration.ZERO)).isEmpty();

    probe.close();

    assertNothingIsLeft();
  }

  @Test
  void one_that_got_no_answer() throws Exception {
    assertThatThrownBy(() -> probe.begin())
        .isInstanceOf(IOException.class)
        .hasMessage("no answer to a probe within 5 s");

    probe.close();

    assertNothingIsLeft();
  }

  @Test
  void one_to_which_the_broker_said_no() throws Exception {
    answersAll();
    probe.begin();
    broker.refuses("pocketwatch.sink", 404, "NOT_FOUND - no queue 'pocketwatch.sink'");
    assertThat(probe.end(Duration.ZERO)).get().asString().contains("the sink is gone");

    probe.close();

    assertNothingIsLeft();
  }

  @Test
  void one_that_was_blocked() throws Exception {
    time.later(Duration.ofSeconds(1), () -> broker.blocks("low on memory"));
    assertThatThrownBy(() -> probe.begin()).isInstanceOf(PublishersBlockedException.class);

    probe.close();

    assertNothingIsLeft();
  }

  @Test
  void one_that_was_refused_its_first_queue() throws Exception {
    broker.refuses("pocketwatch.probe.token.quorum", 406, "PRECONDITION_FAILED - queue limit");
    assertThatThrownBy(() -> probe.begin()).isInstanceOf(IOException.class);
    broker.allows("pocketwatch.probe.token.quorum");

    probe.close();

    assertNothingIsLeft();
  }

  @Test
  void one_that_lost_its_connection_says_so() throws Exception {
    answersAll();
    probe.begin();
    broker.losesConnections();

    assertThatThrownBy(() -> probe.close()).isInstanceOf(IOException.class);
  }

  private void answersAll() {
    for (int i = 0; i < MORE_THAN_IT_SENDS; i++) {
      broker.duringNextSend(() -> broker.acks(broker.sent().get(broker.sent().size() - 1)));
    }
  }

  /** But for the queue that goes with its connection. */
  private void assertNothingIsLeft() {
    assertThat(broker.exchanges()).isEmpty();
    assertThat(broker.queues())
        .allMatch(queue -> broker.asked().contains("basic.consume " + queue));
  }
}
