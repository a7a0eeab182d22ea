// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.store.MessageKey;
import org.junit.jupiter.api.Test;

class LineTest {
  private long now;

  private final Line<Item> line =
      Line.byTimeInTurns(
          Item::readyAt, () -> now, each -> new MessageKey(each.route(), "" + each.readyAt()));

  private record Item(String route, long readyAt) {}

  @Test
  void a_backlog_that_was_ready_first_holds_up_no_other_route() {
    for (int i = 0; i < 1_000; i++) {
      line.add(new Item("big", i));
    }
    line.add(new Item("small", 1_000));
    now = 2_000;
    assertThat(line.next(4, false))
        .containsExactlyInAnyOrder(
            new Item("big", 0), new Item("small", 1_000), new Item("big", 1), new Item("big", 2));
    line.add(new Item("small", 1_001));
    assertThat(line.next(2, false))
        .containsExactlyInAnyOrder(new Item("big", 3), new Item("small", 1_001));
    assertThat(line.size()).isEqualTo(996);
  }

  @Test
  void an_item_waits_for_its_time() {
    line.add(new Item("b", 30));
    line.add(new Item("a", 20));
    assertThat(line.untilReady()).isEqualTo(20);
    assertThat(line.next(10, false)).isEmpty();
    now = 25;
    assertThat(line.next(10, false)).containsExactly(new Item("a", 20));
    assertThat(line.untilReady()).isEqualTo(5);
    assertThat(line.next(10, true)).containsExactly(new Item("b", 30));
    assertThat(line.untilReady()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void ready_and_early_items_are_taken_out() {
    line.add(new Item("a", 1));
    line.add(new Item("a", 2));
    line.add(new Item("a", 100));
    now = 10;
    assertThat(line.next(1, false)).containsExactly(new Item("a", 1));
    assertThat(line.untilReady()).isZero();
    assertThat(line.remove(each -> true)).containsExactly(new Item("a", 100), new Item("a", 2));
    assertThat(line.size()).isZero();
  }
}
