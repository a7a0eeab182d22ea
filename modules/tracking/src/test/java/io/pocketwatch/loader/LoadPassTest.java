// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.config.LoaderOptions;
import org.junit.jupiter.api.Test;

class LoadPassTest {
  private static final LoaderOptions BATCHES = LoaderOptions.builder().batch(900).build();

  @Test
  void without_a_rate_each_route_claims_whole_batches() {
    assertThat(LoadPass.share(BATCHES, 3)).isEqualTo(900);
  }

  @Test
  void of_a_rate_each_gets_its_part_of_a_second() {
    assertThat(LoadPass.share(BATCHES.toBuilder().rate(90).build(), 3)).isEqualTo(30);
    assertThat(LoadPass.share(BATCHES.toBuilder().rate(90_000).build(), 3)).isEqualTo(900);
  }

  @Test
  void nobody_is_left_out() {
    assertThat(LoadPass.share(BATCHES.toBuilder().rate(1).build(), 3)).isEqualTo(1);
  }
}
