// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class UnconfirmedMessagesTest {
  private static final DelayPlanner PLANNER =
      new DelayPlanner(DelayRoutes.none(), BrokerCapabilities.unknown("guest"));

  private final UnconfirmedMessages unanswered = new UnconfirmedMessages();

  @Test
  void one_is_taken_out_once() {
    UnconfirmedMessage message = message();
    unanswered.add(1, message);

    assertThat(unanswered.remove(2)).isNull();
    assertThat(unanswered.remove(1)).isSameAs(message);
    assertThat(unanswered.remove(1)).isNull();
  }

  @Test
  void all_up_to_a_number_come_oldest_first() {
    List<UnconfirmedMessage> added = new ArrayList<>();
    for (long number = 1; number <= 1_000; number++) {
      added.add(message());
      unanswered.add(number, added.get((int) number - 1));
    }
    unanswered.remove(2);

    assertThat(unanswered.removeUpTo(3)).containsExactly(added.get(0), added.get(2));
    assertThat(unanswered.removeUpTo(Long.MAX_VALUE)).isEqualTo(added.subList(3, 1_000));
    assertThat(unanswered.removeUpTo(Long.MAX_VALUE)).isEmpty();
  }

  @Test
  void those_that_are_meant_are_taken_out_wherever_they_are() {
    UnconfirmedMessage first = message();
    UnconfirmedMessage second = message();
    UnconfirmedMessage third = message();
    unanswered.add(7, first);
    unanswered.add(9, second); // a number that was not used
    unanswered.add(10, third);

    assertThat(unanswered.find(each -> each == second)).isSameAs(second);
    assertThat(unanswered.removeIf(each -> each == second)).containsExactly(second);
    assertThat(unanswered.find(each -> each == second)).isNull();
    assertThat(unanswered.removeIf(each -> true)).containsExactly(first, third);
    assertThat(unanswered.removeIf(each -> true)).isEmpty();
  }

  @Test
  void any_order_of_answers_gives_what_a_sorted_map_would() {
    Random random = new Random(27);
    TreeMap<Long, UnconfirmedMessage> expected = new TreeMap<>();
    Map<Long, UnconfirmedMessage> all = new HashMap<>();
    for (long number = 1; number <= 20_000; number++) {
      if (random.nextInt(50) > 0) {
        all.put(number, message());
        unanswered.add(number, all.get(number));
        expected.put(number, all.get(number));
      }
      long answered = Math.max(1, number - random.nextInt(700));
      if (random.nextInt(100) == 0) {
        Map<Long, UnconfirmedMessage> upTo = expected.headMap(answered, true);
        assertThat(unanswered.removeUpTo(answered)).containsExactlyElementsOf(upTo.values());
        upTo.clear();
      } else if (random.nextBoolean()) {
        assertThat(unanswered.remove(answered)).isSameAs(expected.remove(answered));
      }
    }
    assertThat(unanswered.removeUpTo(Long.MAX_VALUE)).containsExactlyElementsOf(expected.values());
  }

  private static UnconfirmedMessage message() {
    Instant now = Instant.EPOCH;
    PublishPlan plan = PLANNER.plan(PLANNER.accept(DelayedMessage.toQueue("q"), now), now);
    return new UnconfirmedMessage(plan, 0, 0, receipt -> {});
  }
}
