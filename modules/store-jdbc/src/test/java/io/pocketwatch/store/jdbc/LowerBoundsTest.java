// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.store.jdbc.LowerBounds.Look;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Time is in milliseconds; the database's clock and ours are the same. */
class LowerBoundsTest {
  private static final String ROUTE = "r";

  private long now = 1_000_000;
  private final LowerBounds bounds = new LowerBounds(() -> Duration.ofMillis(now).toNanos());

  @Test
  void the_first_look_is_in_full_and_the_next_begins_shortly_before_it() {
    assertThat(bounds.from(ROUTE)).isEqualTo(LowerBounds.NONE);
    saw(null);
    assertThat(bounds.from(ROUTE)).isEqualTo(now - LowerBounds.MARGIN_MS);
  }

  @Test
  void what_waits_stays_within_sight() {
    saw(now - 60_000);
    now += 10_000;
    saw(now - 70_000);
    assertThat(bounds.from(ROUTE)).isEqualTo(now - 70_000);
  }

  @Test
  void the_bound_goes_on_with_the_first_row_and_never_back_by_itself() {
    saw(now - 60_000);
    now += 1_000;
    saw(now - 30_000);
    assertThat(bounds.from(ROUTE)).isEqualTo(now - 30_000);
    saw(now + 90_000);
    long shortlyBefore = now - LowerBounds.MARGIN_MS;
    assertThat(bounds.from(ROUTE)).isEqualTo(shortlyBefore);
    now -= 3_000; // a clock that was set back
    saw(null);
    assertThat(bounds.from(ROUTE)).isEqualTo(shortlyBefore);
  }

  @Test
  void a_look_in_full_finds_what_came_to_lie_below() {
    saw(null);
    now += 60_000;
    look().sawInFull(ROUTE, 5L);
    assertThat(bounds.from(ROUTE)).isEqualTo(5);
  }

  @Test
  void of_a_route_without_rows_a_look_in_full_counts_too() {
    saw(null);
    now += 100_000;
    look().sawNoOthers(Set.of("another"));
    now += 100_000;
    assertThat(bounds.from(ROUTE)).isEqualTo(now - 100_000 - LowerBounds.MARGIN_MS);
  }

  @Test
  void two_minutes_after_the_last_look_in_full_the_next_one_is() {
    saw(null);
    for (int i = 0; i < 120; i++) {
      now += 1_000;
      saw(null);
    }
    assertThat(bounds.from(ROUTE)).isEqualTo(now - LowerBounds.MARGIN_MS);
    now += 1;
    assertThat(bounds.from(ROUTE)).isEqualTo(LowerBounds.NONE);
  }

  @Test
  void a_look_that_a_look_in_full_has_overtaken_hides_nothing() {
    saw(null);
    now += 20_000;
    Look before = look();
    look().sawInFull(ROUTE, 5L);
    before.saw(ROUTE, null);
    assertThat(bounds.from(ROUTE)).isEqualTo(5);
  }

  @Test
  void nor_does_a_look_in_full_that_a_later_one_has_overtaken() {
    Look before = look();
    now += 20_000;
    look().sawInFull(ROUTE, 5L);
    before.sawInFull(ROUTE, 700_000L);
    assertThat(bounds.from(ROUTE)).isEqualTo(5);
  }

  @Test
  void a_slow_look_in_full_counts_though_others_went_on_meanwhile() {
    saw(null);
    now += 20_000;
    Look slow = look();
    now += 4_000;
    saw(null);
    slow.sawInFull(ROUTE, 5L);
    assertThat(bounds.from(ROUTE)).isEqualTo(5);
  }

  @Test
  void once_rows_were_moved_no_look_from_before_counts() {
    saw(null);
    Look inFull = look();
    Look before = look();
    bounds.forget();
    inFull.sawInFull(ROUTE, now);
    before.saw(ROUTE, null);
    assertThat(bounds.from(ROUTE)).isEqualTo(LowerBounds.NONE);
  }

  /** Looks in full come once a minute, others each second; rows are put anywhere at any time. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void whatever_is_due_is_found_within_a_minute_wherever_it_was_put(long seed) {
    Random random = new Random(seed);
    TreeMap<Long, Long> rows = new TreeMap<>(); // when it is due, and since when it is there
    int late = 0;
    for (int second = 0; second < 20_000; second++) {
      now += 1_000;
      if (random.nextInt(3) == 0) {
        long due = now + random.nextInt(200_000) - (random.nextBoolean() ? 190_000 : 1_000);
        rows.putIfAbsent(due, now);
      }
      if (second % 60 == 0) {
        look().sawInFull(ROUTE, rows.isEmpty() ? null : rows.firstKey());
      }
      Look look = look();
      Long first = rows.ceilingKey(look.from(ROUTE));
      look.saw(ROUTE, first);
      if (first != null && first <= now) {
        long waited = now - Math.max(first, rows.remove(first));
        late += waited > 1_000 ? 1 : 0;
        assertThat(waited).isLessThanOrEqualTo(120_000);
      }
      for (Map.Entry<Long, Long> row : rows.headMap(now - 60_000).entrySet()) {
        assertThat(row.getKey() >= bounds.from(ROUTE) || now - row.getValue() < 60_000)
            .as("within sight a minute after it was put there")
            .isTrue();
      }
    }
    assertThat(late).as("what was found by looks in full alone").isPositive();
  }

  private Look look() {
    return bounds.look(now);
  }

  private void saw(@Nullable Long first) {
    look().saw(ROUTE, first);
  }
}
