// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.handoff.HandOff;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.tracking.TrackedPublisher;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RetentionPassTest {
  private static final Instant NOW = Instant.parse("2026-03-01T09:00:00Z");

  private final List<Integer> asked = new ArrayList<>();
  private int rows;
  private int atMost = 500;

  @Test
  void rows_too_large_for_one_batch_leave_in_smaller_ones() {
    RetentionPass pass = new RetentionPass(work());
    rows = 200;
    atMost = 7; // in the time that the database is given

    assertThatThrownBy(() -> pass.run(NOW)).isInstanceOf(StoreException.class);
    while (rows > 0) {
      pass.soon();
      try {
        pass.run(NOW);
      } catch (StoreException e) {
        assertThat(asked).hasSizeLessThan(200);
      }
    }

    atMost = 500;
    rows = 2_000;
    pass.soon();
    pass.run(NOW);
    assertThat(rows).isZero();
    assertThat(asked).endsWith(500);
  }

  private int delete(int limit) {
    asked.add(limit);
    if (limit > atMost) {
      throw new StoreException("it takes too long");
    }
    int deleted = Math.min(rows, limit);
    rows -= deleted;
    return deleted;
  }

  private LoaderContext work() {
    DelayStore store =
        DuePollerTest.fake(DelayStore.class, (method, arguments) -> delete((int) arguments[1]));
    HandOff handOff = DuePollerTest.fake(HandOff.class, (method, arguments) -> NOW);
    TrackedPublisher publisher =
        DuePollerTest.fake(
            TrackedPublisher.class,
            (method, arguments) ->
                method.equals("routes")
                    ? DelayRoutes.builder().build()
                    : arguments[0] == HandOff.class ? handOff : store);
    return new LoaderContext(publisher, List.of());
  }
}
