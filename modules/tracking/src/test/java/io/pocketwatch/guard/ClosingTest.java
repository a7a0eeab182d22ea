// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import static io.pocketwatch.guard.GuardScene.next;
import static io.pocketwatch.guard.GuardScene.tracked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whoever closes a guard or a consumer of it waits for the handler that runs, and not for ever. */
class ClosingTest {
  private static final Instant NOW = Instant.parse("2026-03-01T09:00:00Z");

  /** What is closed. */
  enum Closed {
    GUARD((scene, patience) -> scene.guard.close(patience)),
    CONSUMER((scene, patience) -> scene.consuming.close(patience));

    private final BiConsumer<GuardScene, Duration> close;

    Closed(BiConsumer<GuardScene, Duration> close) {
      this.close = close;
    }
  }

  private final BlockingQueue<String> handled = new LinkedBlockingQueue<>();
  private final CountDownLatch end = new CountDownLatch(1);

  private void handle(GuardedDelivery delivery) throws InterruptedException {
    handled.add(delivery.toString());
    assertThat(end.await(20, TimeUnit.SECONDS)).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void waits_for_the_handler_that_runs(Closed closed) throws Exception {
    try (GuardScene scene = new GuardScene(true, NOW, this::handle)) {
      scene.deliver(tracked(NOW));
      scene.deliver(tracked(NOW));
      next(handled);

      CompletableFuture<Void> closing =
          CompletableFuture.runAsync(() -> closed.close.accept(scene, Duration.ofSeconds(20)));
      assertThat(next(scene.said)).isEqualTo("REQUEUE null"); // of the other message
      assertThat(next(scene.said)).isEqualTo("requeue 2");
      Assertions.assertThatThrownBy(() -> closing.get(100, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      end.countDown();
      closing.get(10, TimeUnit.SECONDS);

      assertThat(scene.said).containsExactly("SETTLE null", "ack 1");
      assertThat(handled).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void leaves_a_handler_that_runs_for_too_long(Closed closed) throws Exception {
    try (GuardScene scene = new GuardScene(true, NOW, this::handle)) {
      scene.deliver(tracked(NOW));
      next(handled);

      closed.close.accept(scene, Duration.ofMillis(1));

      assertThat(scene.said).isEmpty();
      end.countDown();
      assertThat(next(scene.said)).isEqualTo("SETTLE null");
      assertThat(next(scene.said)).isEqualTo("ack 1");
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_handler_that_closes_does_not_wait_for_itself(Closed closed) throws Exception {
    CompletableFuture<GuardScene> made = new CompletableFuture<>();
    try (GuardScene scene =
        new GuardScene(
            true, NOW, delivery -> closed.close.accept(made.get(), Duration.ofSeconds(60)))) {
      made.complete(scene);
      scene.deliver(tracked(NOW));

      assertThat(next(scene.said)).isEqualTo("SETTLE null");
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_patience_out_of_range_is_refused(Closed closed) throws Exception {
    try (GuardScene scene = new GuardScene(true, NOW, delivery -> {})) {
      for (Duration each : new Duration[] {Duration.ofMillis(-1), Duration.ofDays(2)}) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> closed.close.accept(scene, each))
            .withMessageContaining("is out of range; allowed: 0s to 1d");
      }
    }
  }
}
