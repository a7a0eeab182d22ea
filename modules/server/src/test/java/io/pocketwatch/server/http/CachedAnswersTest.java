// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CachedAnswersTest {
  private static final Duration KEEP = Duration.ofSeconds(10);

  private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE - 5);
  private final AtomicInteger asked = new AtomicInteger();
  private boolean away;
  private int weight = 1;
  private boolean changesMeanwhile;
  private Duration took = Duration.ZERO;
  private final CachedAnswers<String, Integer> cached =
      new CachedAnswers<>(10, answer -> weight, KEEP, each -> ask(), nanoTime::get);

  private int ask() {
    int now = asked.incrementAndGet();
    if (away) {
      pass(Duration.ofSeconds(5)); // as long as a connection takes to be refused
      throw new IllegalStateException("refused " + now);
    }
    pass(took);
    if (changesMeanwhile) {
      cached.forget();
    }
    return now;
  }

  private void pass(Duration time) {
    nanoTime.addAndGet(time.toNanos());
  }

  @Test
  void an_answer_is_kept_for_a_moment() {
    assertThat(cached.get("a")).isEqualTo(1);
    pass(KEEP.minusNanos(1));
    assertThat(cached.get("a")).isEqualTo(1);
    pass(Duration.ofNanos(1));
    assertThat(cached.get("a")).isEqualTo(2);
    cached.forget();
    assertThat(cached.get("a")).isEqualTo(3);
  }

  @Test
  void those_who_waited_for_a_failure_do_not_ask_once_more() {
    away = true;
    for (int i = 0; i < 20; i++) {
      assertThatThrownBy(() -> cached.get("a")).hasMessage("refused 1");
    }
    pass(Duration.ofSeconds(1));
    away = false;
    assertThat(cached.get("a")).isEqualTo(2);
    assertThat(cached.get("a")).isEqualTo(2);
  }

  @Test
  void after_a_change_a_failure_is_forgotten_too() {
    away = true;
    assertThatThrownBy(() -> cached.get("a")).hasMessage("refused 1");
    away = false;
    cached.forget();
    assertThat(cached.get("a")).isEqualTo(2);
  }

  @Test
  void what_takes_long_is_kept_longer() {
    away = true;
    assertThatThrownBy(() -> cached.get("a")).hasMessage("refused 1");
    pass(Duration.ofSeconds(1));
    away = false;
    took = Duration.ofSeconds(5);
    assertThat(cached.get("a")).isEqualTo(2);
    pass(Duration.ofSeconds(50).minusNanos(1));
    assertThat(cached.get("a")).isEqualTo(2);
    pass(Duration.ofNanos(1));
    assertThat(cached.get("a")).isEqualTo(3);
  }

  @Test
  void what_is_remembered_is_bounded_by_its_weight() {
    weight = 5;
    assertThat(cached.get("a")).isEqualTo(1);
    assertThat(cached.get("b")).isEqualTo(2);
    assertThat(cached.get("a")).isEqualTo(1);
    weight = 11;
    assertThat(cached.get("c")).isEqualTo(3);
    assertThat(cached.get("c")).isEqualTo(4);
  }

  @Test
  void what_was_asked_before_a_change_is_not_told_after_it() {
    changesMeanwhile = true;
    assertThat(cached.get("a")).isEqualTo(1);
    changesMeanwhile = false;
    assertThat(cached.get("a")).isEqualTo(2);
    assertThat(cached.get("a")).isEqualTo(2);
  }

  @Test
  void a_fault_of_ours_reaches_those_who_wait() {
    CachedAnswers<String, Integer> faulty =
        new CachedAnswers<>(
            1,
            KEEP,
            each -> {
              throw new AssertionError("fault " + asked.incrementAndGet());
            });
    assertThatThrownBy(() -> faulty.get("a")).hasMessage("fault 1");
    assertThatThrownBy(() -> faulty.get("a")).hasMessage("fault 1");
  }
}
