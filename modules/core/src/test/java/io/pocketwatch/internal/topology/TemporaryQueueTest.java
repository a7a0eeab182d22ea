// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.config.HoldQueues;
import io.pocketwatch.config.TemporaryQueueOptions;
import io.pocketwatch.internal.topology.Destination.Way;
import org.junit.jupiter.api.Test;

class TemporaryQueueTest {
  private static final Names NAMES = new Names("pocketwatch");
  private static final TemporaryQueueOptions OPTIONS =
      TemporaryQueueOptions.builder().grace(ofDays(2)).build();
  private static final Destination ORDERS = Destination.of("orders", "k", Way.TEMPORARY);
  private static final Destination MAIL = Destination.of("", "mail", Way.TEMPORARY);

  @Test
  void one_key_travels_in_the_queue() {
    TemporaryQueue temporary =
        TemporaryQueue.byName(NAMES, "id.1", ORDERS, "k", ofSeconds(90), OPTIONS);

    assertThat(temporary.queue().name()).isEqualTo("pocketwatch.temporary.id~2e1");
    assertThat(temporary.queue().arguments())
        .containsEntry("x-dead-letter-exchange", "pocketwatch.temporary-to.orders")
        .containsEntry("x-dead-letter-routing-key", "k");
    assertThat(temporary.binding()).isNull();
  }

  @Test
  void several_keys_travel_on_the_message() {
    TemporaryQueue temporary = TemporaryQueue.byKey(NAMES, "id.1", ORDERS, ofSeconds(90), OPTIONS);

    assertThat(temporary.queue().arguments()).doesNotContainKey("x-dead-letter-routing-key");
    assertThat(temporary.binding())
        .isEqualTo(
            BindingSpec.queue(
                "pocketwatch.temporary", "pocketwatch.temporary.id~2e1", "pw-tmp-id~2e1"));
  }

  @Test
  void queues_are_reached_through_the_stand_in_of_the_default_exchange() {
    TemporaryQueue temporary =
        TemporaryQueue.byName(NAMES, "id", MAIL, "mail", ofSeconds(90), OPTIONS);

    assertThat(temporary.queue().arguments())
        .containsEntry("x-dead-letter-exchange", "pocketwatch.queues");
  }

  @Test
  void it_outlives_its_message_by_the_grace() {
    TemporaryQueue temporary = TemporaryQueue.byKey(NAMES, "id", MAIL, ofSeconds(90), OPTIONS);

    assertThat(temporary.queue().arguments())
        .containsEntry("x-message-ttl", 90_000L)
        .containsEntry("x-expires", ofDays(2).plusSeconds(90).toMillis())
        .containsEntry("x-queue-type", "quorum")
        .containsEntry("x-dead-letter-strategy", "at-least-once");
  }

  @Test
  void it_is_of_the_configured_type() {
    TemporaryQueueOptions classic =
        OPTIONS.toBuilder().queues(HoldQueues.classicAcceptingLoss()).build();

    assertThat(TemporaryQueue.byKey(NAMES, "id", MAIL, ofSeconds(90), classic).queue().arguments())
        .containsEntry("x-queue-type", "classic")
        .doesNotContainKey("x-dead-letter-strategy");
  }
}
