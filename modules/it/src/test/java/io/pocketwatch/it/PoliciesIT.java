// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static io.pocketwatch.PublishOutcome.CONFIRMED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.TopologyException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An operator's policy on {@code .*} reaches our queues, and AMQP cannot show it. */
@Tag("wide")
class PoliciesIT {
  private World world;

  @BeforeEach
  void open() {
    world = World.of(PoliciesIT.class);
  }

  @AfterEach
  void close() throws Exception {
    world.node().ctl("clear_policy", "operators");
    world.close();
  }

  /** The smaller of argument and policy wins: each wait takes 100 ms at most. */
  @Test
  void message_ttl_makes_held_messages_arrive_early_and_the_lateness_shows_it() throws Exception {
    String target = world.target("policies.ttl");
    DelayedPublisher publisher = world.publisher();
    Inbox inbox = world.inbox(target);
    policy("{\"message-ttl\":100}");

    PublishReceipt receipt =
        Futures.get(
            publisher.publish(DelayedMessage.to(target, "key").delay(Duration.ofSeconds(20))));

    assertThat(receipt.outcome()).isEqualTo(CONFIRMED);
    Inbox.Arrival arrival = inbox.awaitOne();
    assertThat(arrival.id()).isEqualTo(receipt.id());
    assertThat(arrival.lateness()).isLessThan(Duration.ofSeconds(-5));
  }

  @Test
  void dead_letter_routing_key_drops_our_keys_and_the_start_up_probe_says_so() {
    world.publisher(); // declared before, as if the policy came later
    policy("{\"dead-letter-routing-key\":\"elsewhere\"}");

    assertThatThrownBy(world::publisher)
        .isInstanceOf(TopologyException.class)
        .hasMessageContaining("probe")
        .hasMessageContaining("policies")
        .hasMessageContaining("dead-letter-routing-key");
  }

  private void policy(String definition) {
    world.node().ctl("set_policy", "--apply-to", "queues", "operators", ".*", definition);
  }
}
