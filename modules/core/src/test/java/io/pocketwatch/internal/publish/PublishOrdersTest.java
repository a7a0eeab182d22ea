// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.internal.publish.PublishOrder.Event;
import io.pocketwatch.testing.Orders;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@link Step} says what can happen, {@link PublishOrder} what must hold. */
class PublishOrdersTest {
  @Test
  void whatever_happens_each_message_ends_once_and_as_the_broker_said() {
    Map<String, Integer> outcomes =
        new Orders<>(
                Step.values(),
                step -> step.often,
                Event::new,
                (seed, events) -> new PublishOrder(seed, events).run())
            .run();
    if (Orders.many()) {
      assertThat(outcomes).as("ways to end, and how often").hasSizeGreaterThan(12);
    }
  }
}
