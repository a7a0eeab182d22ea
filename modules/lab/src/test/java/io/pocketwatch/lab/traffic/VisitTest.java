// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.lab.traffic.Visit.Change;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class VisitTest {
  private final SplittableRandom random = new SplittableRandom(7);
  private final List<Visit> visits =
      Stream.generate(() -> Visit.next(random)).limit(10_000).toList();

  @Test
  void every_route_and_every_change_has_its_share() {
    assertThat(visits).extracting(Visit::route).contains(ShopRoute.values());
    assertThat(visits).extracting(Visit::change).contains(Change.values());
    assertThat(visits).filteredOn(visit -> !visit.known()).hasSizeBetween(50, 250);
  }

  @Test
  void what_is_changed_has_a_row_to_change_and_still_waits() {
    assertThat(visits)
        .filteredOn(visit -> visit.change() != Change.NONE)
        .allSatisfy(
            visit -> {
              assertThat(visit.route()).isIn(ShopRoute.ORDER_TIMEOUT, ShopRoute.TRIAL_END);
              assertThat(visit.after()).isPositive().isLessThan(visit.delay());
            });
  }

  @Test
  void some_are_due_soon_and_some_next_year() {
    assertThat(visits).allMatch(visit -> visit.delay().compareTo(Duration.ofSeconds(1)) >= 0);
    assertThat(visits).anyMatch(visit -> visit.delay().compareTo(Duration.ofMinutes(1)) < 0);
    assertThat(visits).anyMatch(visit -> visit.delay().compareTo(Duration.ofDays(365)) > 0);
  }
}
