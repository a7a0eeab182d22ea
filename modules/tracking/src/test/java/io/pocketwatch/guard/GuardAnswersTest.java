// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import static io.pocketwatch.guard.GuardScene.due;
import static io.pocketwatch.guard.GuardScene.next;
import static io.pocketwatch.guard.GuardScene.tracked;
import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.config.DelayLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a handler says of its message: it is answered for, or it is still to be. */
class GuardAnswersTest {
  private static final Instant NOW = Instant.parse("2026-03-01T09:00:00Z");
  private static final Exception BROKEN = new Exception("broken");

  /** Answers that fail. */
  @SuppressWarnings({"NullAway", "DataFlowIssue"}) // callers that are not checked pass null
  enum Invalid {
    NO_PAUSE(delivery -> delivery.defer((Duration) null)),
    PAUSE_OF_ZERO(delivery -> delivery.defer(Duration.ZERO)),
    NEGATIVE_PAUSE(delivery -> delivery.defer(Duration.ofSeconds(Long.MIN_VALUE))),
    LONGER_PAUSE(delivery -> delivery.defer(DelayLimits.MAX_TTL.plusMillis(1))),
    LONGEST_PAUSE(delivery -> delivery.defer(Duration.ofSeconds(Long.MAX_VALUE))),
    NO_INSTANT(delivery -> delivery.defer((Instant) null)),
    LATER_INSTANT(delivery -> delivery.defer(DelayLimits.LATEST.plusNanos(1))),
    LAST_INSTANT(delivery -> delivery.defer(Instant.MAX)),
    LAST_INSTANT_WITH_A_CAUSE(delivery -> delivery.defer(Instant.MAX, BROKEN)),
    NO_INSTANT_WITH_A_CAUSE(delivery -> delivery.defer(null, BROKEN)),
    RETRY_WITHOUT_A_CAUSE(delivery -> delivery.retry(null)),
    PARKED_WITHOUT_A_REASON(delivery -> delivery.park(null, recorded -> {})),
    PARKED_FOR_NOBODY(delivery -> delivery.park("no stock", null));

    private final Consumer<GuardedDelivery> said;

    Invalid(Consumer<GuardedDelivery> said) {
      this.said = said;
    }
  }

  /** Instants that were long ago, and the failures that cannot say what they are. */
  enum Odd {
    FIRST_INSTANT(delivery -> delivery.defer(Instant.MIN)),
    FIRST_INSTANT_WITH_A_CAUSE(delivery -> delivery.defer(Instant.MIN, BROKEN)),
    BEFORE_THE_CALENDARS(delivery -> delivery.defer(Instant.parse("-5000-01-01T00:00:00Z"))),
    FIRST_MILLISECOND(delivery -> delivery.defer(Instant.ofEpochMilli(Long.MIN_VALUE))),
    WITHOUT_A_CAUSE(delivery -> delivery.defer(NOW, null)),
    WITH_A_CAUSE_WITHOUT_WORDS(delivery -> delivery.defer(NOW, new Wordless()));

    private final Consumer<GuardedDelivery> said;

    Odd(Consumer<GuardedDelivery> said) {
      this.said = said;
    }
  }

  private static final class Wordless extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String toString() {
      throw new IllegalStateException("no words");
    }
  }

  private final BlockingQueue<RuntimeException> thrown = new LinkedBlockingQueue<>();

  private final AtomicReference<GuardScene> current = new AtomicReference<>();

  private GuardScene scene() {
    return current.get();
  }

  private void trying(GuardedDelivery delivery, Consumer<GuardedDelivery> said) {
    try {
      said.accept(delivery);
    } catch (RuntimeException e) {
      thrown.add(e);
    }
  }

  @ParameterizedTest
  @EnumSource
  void after_an_invalid_answer_a_message_with_a_row_is_still_answered(Invalid answer)
      throws Exception {
    try (GuardScene scene = new GuardScene(true, NOW, delivery -> trying(delivery, answer.said))) {
      scene.deliver(tracked(NOW));

      assertThat(next(scene.said)).isEqualTo("SETTLE null");
      assertThat(next(scene.said)).isEqualTo("ack 1");
      assertThat(thrown).hasSize(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void after_an_invalid_answer_a_message_without_a_row_is_still_answered(Invalid answer)
      throws Exception {
    try (GuardScene scene = new GuardScene(false, NOW, delivery -> trying(delivery, answer.said))) {
      scene.deliver(due(NOW));

      assertThat(next(scene.said)).isEqualTo("ack 1");
      assertThat(thrown).hasSize(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void what_is_long_ago_is_at_once_for_a_message_with_a_row(Odd answer) throws Exception {
    try (GuardScene scene = new GuardScene(true, NOW, delivery -> trying(delivery, answer.said))) {
      scene.deliver(tracked(NOW));

      assertThat(next(scene.said)).startsWith("POSTPONE 2026-03-01T09:00:00Z ");
      assertThat(next(scene.said)).isEqualTo("ack 1");
      assertThat(scene.held).isEmpty();
      assertThat(thrown).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void what_is_long_ago_is_at_once_for_a_message_without_a_row(Odd answer) throws Exception {
    try (GuardScene scene = new GuardScene(false, NOW, delivery -> trying(delivery, answer.said))) {
      scene.deliver(due(NOW));

      assertThat(next(scene.held).until()).isEqualTo(NOW);
      assertThat(next(scene.said)).isEqualTo("ack 1");
      assertThat(thrown).isEmpty();
    }
  }

  /** Whatever it is that fails while an answer is taken. */
  @Test
  void an_answer_that_fails_half_way_is_not_taken() throws Exception {
    IllegalStateException fault = new IllegalStateException("a fault of ours");
    try (GuardScene scene =
        new GuardScene(
            true,
            NOW,
            delivery -> {
              scene().clockFails = fault;
              trying(delivery, each -> each.defer(NOW));
              scene().clockFails = null;
            })) {
      current.set(scene);
      scene.deliver(tracked(NOW));

      assertThat(next(scene.said)).isEqualTo("SETTLE null");
      assertThat(next(scene.said)).isEqualTo("ack 1");
      assertThat(thrown).containsExactly(fault);
    }
  }

  /** Eight of them once kept the channel from all that came later. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theChannelGoesOn(boolean store) throws Exception {
    try (GuardScene scene =
        new GuardScene(store, NOW, delivery -> trying(delivery, Odd.FIRST_INSTANT.said))) {
      for (int i = 0; i < 50; i++) {
        scene.deliver(store ? tracked(NOW) : due(NOW));
      }
      for (int i = 0; i < 50; i++) {
        if (store) {
          while (!next(scene.said).startsWith("POSTPONE")) {}
        } else {
          assertThat(next(scene.held).until()).isEqualTo(NOW);
        }
      }
    }
  }
}
