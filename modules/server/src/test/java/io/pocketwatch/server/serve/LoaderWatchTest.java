// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.server.view.Notice;
import io.pocketwatch.store.StoreEvent;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class LoaderWatchTest {
  private long nanoTime = Long.MAX_VALUE - 1; // it may overflow
  private final LoaderWatch watch = new LoaderWatch(Duration.ofSeconds(30), () -> nanoTime);

  @Test
  void one_that_ends_nothing_for_too_long_is_stuck_until_it_does() {
    pass(Duration.ofMinutes(11));
    assertThat(watch.problem()).as("two sweeps and 10 min are allowed").isNull();
    pass(Duration.ofSeconds(5));
    assertThat(watch.problem())
        .isNotNull()
        .extracting(Notice::text)
        .isEqualTo(
            "this server's loader is stuck: it has ended no pass and loaded nothing for 11 min;"
                + " allowed: 11 min (two sweeps and 10 min)");

    watch.onEvent(new StoreEvent.Swept(Instant.EPOCH, true));
    assertThat(watch.problem()).isNull();
  }

  @Test
  void a_long_pass_that_loads_is_not_stuck() {
    for (int i = 0; i < 5; i++) {
      pass(Duration.ofMinutes(10));
      watch.onEvent(new StoreEvent.Loaded("orders", 1_000, Duration.ofSeconds(1)));
    }
    pass(Duration.ofMinutes(10));

    assertThat(watch.problem()).isNull();
  }

  private void pass(Duration time) {
    nanoTime += time.toNanos();
  }
}
