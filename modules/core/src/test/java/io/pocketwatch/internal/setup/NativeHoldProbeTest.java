// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.setup;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Connection;
import io.pocketwatch.NativeHold;
import io.pocketwatch.internal.amqp.AdminChannels;
import io.pocketwatch.internal.amqp.Connections;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.testing.FakeBroker;
import io.pocketwatch.testing.HandScheduler;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A broker that holds for as long as it was asked to, and others. */
class NativeHoldProbeTest {
  private final HandScheduler time = new HandScheduler();
  private final FakeBroker broker = new FakeBroker(time, "4.4.0");
  private final AdminChannels admin =
      new AdminChannels(new Connections(broker.factory(), List::of));
  private final NativeHoldProbe probe =
      new NativeHoldProbe(admin, new Names("pocketwatch"), time.clock(), time);

  @Test
  void what_comes_back_after_half_a_second_was_held_by_its_time() throws Exception {
    broker.holdsProbesFor(ofMillis(520));

    NativeHold found = look();

    assertThat(found.isUsable()).isTrue();
    assertThat(found.ahead()).isEqualTo(ofMillis(-20));
  }

  @Test
  void what_comes_back_sooner_was_not() throws Exception {
    broker.holdsProbesFor(ofMillis(114));

    assertThat(look().description())
        .startsWith("pocketwatch.native.")
        .contains("let go after 114 ms", "before RabbitMQ 4.4");
  }

  @Test
  void a_clock_that_is_too_far_behind_is_told() throws Exception {
    broker.holdsProbesFor(ofMillis(1_600));

    NativeHold found = look();

    assertThat(found.isMissed()).isTrue();
    assertThat(found.ahead()).isEqualTo(ofMillis(-1_100));
    assertThat(found.description()).contains("is 1100 ms behind this machine's");
  }

  @Test
  void what_does_not_come_back_is_waited_for_three_seconds() throws Exception {
    broker.probe(FakeBroker.Probe.GETS_LOST);
    long before = time.nanoTime();

    assertThat(look().description()).contains("a probe did not come back", "within 3 s");
    assertThat(time.nanoTime() - before).isEqualTo(ofSeconds(3).toNanos());
  }

  private NativeHold look() throws Exception {
    Connection connection = broker.factory().newConnection("pocketwatch publish");
    broker.hasExchange("pocketwatch.deliver");
    broker.hasQueue("pocketwatch.sink");
    return probe.run(connection);
  }
}
