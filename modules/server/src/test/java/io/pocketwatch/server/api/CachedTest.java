// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CachedTest {
  private static final Duration KEEP = Duration.ofSeconds(10);

  private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE - 5);
  private final AtomicInteger asked = new AtomicInteger();
  private boolean away;
  private final Cached<Integer> cached = new Cached<>(KEEP, this::ask, nanoTime::get);

  private int ask() {
    int now = asked.incrementAndGet();
    if (away) {
      pass(Duration.ofSeconds(5)); // as long as a connection takes to be refused
      throw new IllegalStateException("refused " + now);
    }
    return now;
  }

  private void pass(Duration time) {
    nanoTime.addAndGet(time.toNanos());
  }

  @Test
  void an_answer_is_kept_for_a_moment() {
    assertThat(cached.get()).isEqualTo(1);
    pass(KEEP.minusNanos(1));
    assertThat(cached.get()).isEqualTo(1);
    pass(Duration.ofNanos(1));
    assertThat(cached.get()).isEqualTo(2);
    cached.forget();
    assertThat(cached.get()).isEqualTo(3);
  }

  @Test
  void those_who_waited_for_a_failure_do_not_ask_once_more() {
    away = true;
    for (int i = 0; i < 20; i++) {
      assertThatThrownBy(cached::get).hasMessage("refused 1");
    }
    pass(Duration.ofSeconds(1));
    away = false;
    assertThat(cached.get()).isEqualTo(2);
    assertThat(cached.get()).isEqualTo(2);
  }

  @Test
  void after_a_change_a_failure_is_forgotten_too() {
    away = true;
    assertThatThrownBy(cached::get).hasMessage("refused 1");
    away = false;
    cached.forget();
    assertThat(cached.get()).isEqualTo(2);
  }

  @Test
  void a_failure_does_not_lose_the_last_answer() {
    assertThat(cached.get()).isEqualTo(1);
    pass(KEEP);
    away = true;
    assertThatThrownBy(cached::get).hasMessage("refused 2");
    assertThat(cached.last()).isEqualTo(1);
  }
}
