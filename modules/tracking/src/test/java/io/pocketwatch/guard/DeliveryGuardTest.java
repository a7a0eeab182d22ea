// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.handoff.Holding;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class DeliveryGuardTest {
  private static final Instant HERE = Instant.parse("2026-03-01T09:00:00Z");
  private static final GuardOptions OPTIONS =
      GuardOptions.builder()
          .clock(InstantSource.fixed(HERE))
          .earlyTolerance(Duration.ofSeconds(1))
          .build();

  private static DeliveryGuard guard(GuardOptions options) {
    return DeliveryGuard.withoutStore(new NothingHeld(), options, PocketwatchListener.NONE);
  }

  private record NothingHeld() implements Holding {
    @Override
    public CompletableFuture<PublishReceipt> holdAgain(
        String queue, Delivery received, Instant until) {
      throw new AssertionError("nothing comes early here");
    }

    @Override
    public Instant now() {
      return HERE;
    }

    @Override
    public DelayRoutes routes() {
      return DelayRoutes.none();
    }
  }

  @Test
  void settles_under_the_queues_name_or_the_one_given() {
    try (DeliveryGuard guard = guard(OPTIONS);
        DeliveryGuard named = guard(OPTIONS.toBuilder().consumer("billing").build())) {
      assertThat(guard.consumer("work")).isEqualTo("work");
      assertThat(named.consumer("work")).isEqualTo("billing");
    }
  }

  @Test
  void a_message_is_early_beyond_the_tolerance() {
    try (DeliveryGuard guard = guard(OPTIONS)) {
      assertThat(guard.early(HERE.plusMillis(1_001))).isTrue();
      assertThat(guard.early(HERE.plusMillis(1_000))).isFalse();
    }
  }

  @Test
  void a_queue_whose_name_no_store_keeps_is_not_consumed() {
    try (DeliveryGuard guard = guard(OPTIONS)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> guard.consume(null, "work ", delivery -> {}))
          .withMessageContaining("'work ' ends with a blank");
    }
  }
}
