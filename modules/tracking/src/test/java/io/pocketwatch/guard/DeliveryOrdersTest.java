// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.pocketwatch.guard.DeliveryOrder.Event;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Thousands of orders of events, drawn by lot. {@link DeliveryStep} says what can happen, {@link
 * DeliveryOrder} what must hold. An order that breaks it is made shorter and printed with its seed;
 * {@code -Dpocketwatch.orders.seed=…} begins there.
 */
class DeliveryOrdersTest {
  private static final long FIRST_SEED = Long.getLong("pocketwatch.orders.seed", 1);
  private static final int ORDERS = Integer.getInteger("pocketwatch.orders", 3_000);
  private static final int LONGEST = 60;

  private static final List<DeliveryStep> LOTS =
      Arrays.stream(DeliveryStep.values())
          .flatMap(step -> Collections.nCopies(step.often, step).stream())
          .toList();

  private final Map<String, Integer> outcomes = new TreeMap<>();

  @Test
  void whatever_happens_no_message_is_lost_or_handled_twice_under_one_lease() {
    for (long seed = FIRST_SEED; seed < FIRST_SEED + ORDERS; seed++) {
      List<Event> events = draw(seed);
      if (problem(seed, events) != null) {
        fail(report(seed, shortened(seed, events)));
      }
    }
    if (ORDERS >= 1_000) {
      assertThat(outcomes).as("what was told, and how often").hasSizeGreaterThan(8);
    }
  }

  private static List<Event> draw(long seed) {
    Random random = new Random(seed);
    List<Event> events = new ArrayList<>();
    for (int left = 1 + random.nextInt(LONGEST); left > 0; left--) {
      events.add(new Event(LOTS.get(random.nextInt(LOTS.size())), random.nextInt(100)));
    }
    return events;
  }

  private @Nullable Throwable problem(long seed, List<Event> events) {
    try {
      new DeliveryOrder(seed, events)
          .run()
          .forEach(each -> outcomes.merge(each.replaceAll("[a-z]\\d+ ", ""), 1, Integer::sum));
      return null;
    } catch (RuntimeException | Error e) {
      return e;
    }
  }

  /** Without each event that makes no difference. */
  private List<Event> shortened(long seed, List<Event> events) {
    List<Event> left = events;
    for (int i = left.size() - 1; i >= 0; i--) {
      List<Event> fewer = new ArrayList<>(left);
      fewer.remove(i);
      if (problem(seed, fewer) != null) {
        left = fewer;
      }
    }
    return left;
  }

  private String report(long seed, List<Event> events) {
    String lines =
        events.stream()
            .map(each -> "  " + each)
            .collect(Collectors.joining(System.lineSeparator()));
    return "seed %d%n%s%n%s".formatted(seed, lines, problem(seed, events));
  }
}
