// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.probe;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Connection;
import io.pocketwatch.internal.probe.Probe.State;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.testing.FakeBroker;
import io.pocketwatch.testing.HandScheduler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of a probe's messages, of each another thing. */
class ProbeTest {
  private final HandScheduler time = new HandScheduler();
  private final FakeBroker broker = new FakeBroker(time);
  private Connection connection;
  private Probe probe;

  @BeforeEach
  void open() throws Exception {
    connection = broker.factory().newConnection("pocketwatch publish");
    probe = Probe.on(connection, time);
  }

  @Test
  void it_knows_what_was_taken_refused_given_back_and_not_answered() throws Exception {
    for (String id : List.of("taken", "refused", "returned", "silent")) {
      send(id);
    }
    time.later(
        ofSeconds(1),
        () -> {
          broker.acks("taken");
          broker.nacks("refused");
          giveBack("returned");
          broker.acks("returned");
        });

    assertThat(state("taken")).isEqualTo(State.TAKEN);
    assertThat(state("refused")).isEqualTo(State.REFUSED);
    assertThat(state("returned")).isEqualTo(State.RETURNED);
    assertThat(state("silent")).isEqualTo(State.SILENT);
  }

  @Test
  void answers_are_waited_for_no_longer_than_they_take() throws Exception {
    send("a");
    time.later(ofSeconds(2), () -> broker.acks("a"));
    long before = time.nanoTime();

    assertThat(state("a")).isEqualTo(State.TAKEN);
    assertThat(time.nanoTime() - before).isEqualTo(ofSeconds(2).toNanos());
  }

  @Test
  void what_comes_back_was_away_for_so_long() throws Exception {
    broker.hasExchange("pocketwatch.deliver");
    broker.hasQueue("pocketwatch.sink");
    probe.listen(connection.createChannel(), new Names("pocketwatch"));
    broker.probe(FakeBroker.Probe.COMES_BACK);
    probe.send(
        "a",
        "pocketwatch.ttl.quorum",
        "",
        new BasicProperties.Builder().headers(Map.of("BCC", probe.back(List.of("pw-ttl-1000")))));

    assertThat(probe.await(ofSeconds(5), true).get("a").state()).isEqualTo(State.ARRIVED);
  }

  @Test
  void a_broker_that_blocks_publishers_is_not_waited_for() throws Exception {
    send("a");
    time.later(ofSeconds(1), () -> broker.blocks("low on memory"));
    long before = time.nanoTime();

    assertThatThrownBy(() -> probe.await(ofSeconds(5), false))
        .isInstanceOf(PublishersBlockedException.class)
        .hasMessageContaining("low on memory");
    assertThat(time.nanoTime() - before).isLessThan(ofSeconds(2).toNanos());
  }

  @Test
  void nor_is_a_connection_that_is_lost() throws Exception {
    send("a");
    time.later(ofSeconds(1), broker::losesConnections);

    assertThatThrownBy(() -> probe.await(ofSeconds(5), true))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("lost while probing");
    assertThatThrownBy(() -> Probe.on(connection, time)).isInstanceOf(IOException.class);
  }

  private void send(String id) throws IOException {
    probe.send(id, "shop", "key", new BasicProperties.Builder());
  }

  private State state(String id) throws Exception {
    return probe.await(ofSeconds(5), false).get(id).state();
  }

  private void giveBack(String id) {
    try {
      broker.returns(id);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
