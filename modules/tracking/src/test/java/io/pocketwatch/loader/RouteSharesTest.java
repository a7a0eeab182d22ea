// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.loader.LoadPass.RouteShares;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RouteSharesTest {
  private static final Map<String, Integer> WEIGHTS = Map.of("heavy", 3, "light", 1, "tiny", 1);

  @Test
  void the_heaviest_route_claims_whole_batches_the_others_in_proportion() {
    RouteShares shares = RouteShares.of(900, null, List.of("heavy", "light"), WEIGHTS::get);

    assertThat(shares.rows(3)).isEqualTo(900);
    assertThat(shares.rows(1)).isEqualTo(300);
  }

  @Test
  void of_a_rate_each_gets_its_part_of_a_second() {
    RouteShares shares = RouteShares.of(900, 100, List.of("heavy", "light", "tiny"), WEIGHTS::get);

    assertThat(shares.rows(3)).isEqualTo(60);
    assertThat(shares.rows(1)).isEqualTo(20);
  }

  @Test
  void nobody_is_left_out() {
    assertThat(RouteShares.of(1, 1, List.of("heavy", "light"), WEIGHTS::get).rows(1)).isEqualTo(1);
    assertThat(
            RouteShares.of(10, null, List.of("a", "b"), route -> route.equals("a") ? 100 : 1)
                .rows(1))
        .isEqualTo(1);
  }
}
