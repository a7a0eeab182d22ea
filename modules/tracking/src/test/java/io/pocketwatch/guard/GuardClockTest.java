// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import static io.pocketwatch.guard.GuardScene.due;
import static io.pocketwatch.guard.GuardScene.next;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.Headers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a consumer's clock does to messages that have no row. */
class GuardClockTest {
  private static final Instant NOW = Instant.parse("2026-03-01T09:00:00Z");
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final BlockingQueue<BasicProperties> handled = new LinkedBlockingQueue<>();

  private GuardScene scene(boolean store) throws Exception {
    return new GuardScene(store, NOW, delivery -> handled.add(delivery.properties()));
  }

  /** Of a clock that is wrong for a while, or always. */
  @ParameterizedTest
  @ValueSource(longs = {3_600, 5, -5, -3_600})
  void withAStoreItsClockJudges(long secondsBehind) throws Exception {
    try (GuardScene scene = scene(true)) {
      scene.here = NOW.minusSeconds(secondsBehind);

      scene.deliver(due(NOW));

      next(handled);
      assertThat(next(scene.said)).isEqualTo("ack 1");

      scene.deliver(due(NOW.plusSeconds(2)));

      assertThat(next(scene.held).until()).isEqualTo(NOW.plusSeconds(2));
      assertThat(handled).isEmpty();
    }
  }

  @Test
  void without_a_store_a_clock_that_was_wrong_for_seconds_makes_a_minute_late() throws Exception {
    try (GuardScene scene = scene(false)) {
      scene.here = NOW.minus(Duration.ofHours(1)); // for eight seconds

      scene.deliver(due(NOW));

      GuardScene.Held held = next(scene.held);
      assertThat(held.until()).isEqualTo(NOW.plus(MINUTE)); // by the publisher's clock
      assertThat(next(scene.said)).isEqualTo("ack 1");

      scene.here = NOW.plus(MINUTE);
      scene.there = NOW.plus(MINUTE);
      scene.deliver(held.copy().getProperties());

      next(handled);
      assertThat(scene.held).isEmpty();
    }
  }

  /** No later than twice as long as it was wrong, and a minute. */
  @ParameterizedTest
  @ValueSource(longs = {1, 60, 100, 600, 3_000})
  void withoutAStoreAWrongClockMakesLateByHowLongItWasWrong(long secondsWrong) throws Exception {
    Duration wrong = Duration.ofHours(5);
    Instant right = NOW.plusSeconds(secondsWrong);
    try (GuardScene scene = scene(false)) {
      scene.here = NOW.minus(wrong);
      BasicProperties copy = new BasicProperties.Builder().headers(due(NOW)).build();
      while (scene.here.isBefore(NOW)) {
        scene.deliver(copy);
        GuardScene.Held held = next(scene.held);
        copy = held.copy().getProperties();
        scene.there = held.until();
        scene.here = scene.there.isBefore(right) ? scene.there.minus(wrong) : scene.there;
      }
      scene.deliver(copy);

      assertThat(next(handled).getHeaders()).containsKey(Headers.DELIVER_AT);
      assertThat(Duration.between(right, scene.here))
          .isLessThanOrEqualTo(Duration.ofSeconds(secondsWrong).plus(MINUTE));
    }
  }

  /** It is the broker's clock that is wrong: what it lets go of must not come each minute. */
  @Test
  void without_a_store_what_is_early_by_hours_is_held_again_a_few_times() throws Exception {
    Instant due = NOW.plus(Duration.ofHours(12));
    List<Duration> steps = new ArrayList<>();
    try (GuardScene scene = scene(false)) {
      BasicProperties copy = new BasicProperties.Builder().headers(due(due)).build();
      while (scene.here.isBefore(due)) {
        scene.deliver(copy);
        GuardScene.Held held = next(scene.held);
        steps.add(Duration.between(scene.here, held.until()));
        copy = held.copy().getProperties();
        scene.here = held.until();
        scene.there = held.until();
      }
      scene.deliver(copy);
      next(handled);
    }
    assertThat(steps)
        .extracting(Duration::toMinutes)
        .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 64L, 128L, 256L, 209L);
  }

  @Test
  void what_is_deferred_is_held_at_once_for_its_whole_pause_and_counts_anew() throws Exception {
    Duration pause = Duration.ofHours(3);
    try (GuardScene scene = new GuardScene(false, NOW, delivery -> delivery.defer(pause))) {
      scene.deliver(new BasicProperties.Builder().headers(early(due(NOW), 7)).build());

      GuardScene.Held deferred = next(scene.held);
      assertThat(deferred.until()).isEqualTo(NOW.plus(pause));
      scene.deliver(deferred.copy().getProperties());
      assertThat(next(scene.held).until()).isEqualTo(NOW.plus(MINUTE));
    }
  }

  /** Anybody may have written it. */
  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0, 20, 21, 64, Integer.MAX_VALUE, Long.MAX_VALUE})
  void anyCountIsAPauseThatIsNotBeyondTheInstant(long count) throws Exception {
    Instant due = NOW.plus(Duration.ofDays(3_000));
    try (GuardScene scene = scene(false)) {
      scene.deliver(new BasicProperties.Builder().headers(early(due(due), count)).build());

      assertThat(next(scene.held).until()).isBetween(NOW.plus(MINUTE), due);
    }
  }

  private static java.util.Map<String, Object> early(
      java.util.Map<String, Object> headers, long count) {
    headers.put(Headers.EARLY, count);
    return headers;
  }
}
