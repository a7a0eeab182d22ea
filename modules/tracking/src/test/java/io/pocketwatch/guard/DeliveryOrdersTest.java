// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.guard.DeliveryOrder.Event;
import io.pocketwatch.testing.Orders;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@link DeliveryStep} says what can happen, {@link DeliveryOrder} what must hold. */
class DeliveryOrdersTest {
  @Test
  void whatever_happens_no_message_is_lost_or_handled_twice_under_one_lease() {
    Map<String, Integer> outcomes =
        new Orders<>(
                DeliveryStep.values(),
                step -> step.often,
                Event::new,
                DeliveryOrdersTest::withoutNames)
            .run();
    if (Orders.many()) {
      assertThat(outcomes).as("what was told, and how often").hasSizeGreaterThan(8);
    }
  }

  private static List<String> withoutNames(long seed, List<Event> events) {
    return new DeliveryOrder(seed, events)
        .run().stream().map(each -> each.replaceAll("[a-z]\\d+ ", "")).toList();
  }
}
