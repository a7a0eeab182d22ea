// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.server.config.CallbackSettings;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class WorkersTest {
  /** Longer than any patience here: that of a call does not decide how long a stop takes. */
  private static final Duration CALL = Duration.ofMinutes(5);

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch answer = new CountDownLatch(1);
  private final AtomicInteger ended = new AtomicInteger();
  private final AtomicInteger interrupted = new AtomicInteger();
  private final AtomicInteger givenBack = new AtomicInteger();
  private final Workers workers =
      new Workers(
          new CallbackSettings(
              "route", "queue", URI.create("http://127.0.0.1/"), CALL, 1, 1, null));

  @Test
  void what_is_under_way_may_end() throws Exception {
    workers.execute(this::call, givenBack::incrementAndGet);
    begun.await();
    Thread soon = new Thread(answer::countDown);
    soon.start();

    assertThat(workers.close(Duration.ofSeconds(20))).isZero();
    assertThat(ended).hasValue(1);
    assertThat(interrupted).hasValue(0);
  }

  @Test
  void what_does_not_end_is_interrupted_and_counted_and_nothing_more_begins() throws Exception {
    workers.execute(this::call, givenBack::incrementAndGet);
    workers.execute(ended::incrementAndGet, givenBack::incrementAndGet);
    begun.await();

    assertThat(workers.close(Duration.ofMillis(100))).isEqualTo(1);
    assertThat(interrupted).as("it has given its message back").hasValue(1);
    assertThat(ended).as("the one that waited for a thread").hasValue(0);
  }

  @Test
  void what_has_not_begun_is_given_back() throws Exception {
    workers.execute(this::call, givenBack::incrementAndGet);
    workers.execute(ended::incrementAndGet, givenBack::incrementAndGet);
    begun.await();
    Thread stop = new Thread(() -> workers.close(Duration.ofSeconds(20)));
    stop.start();
    while (stop.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait(); // it has stopped the workers and waits for the call
    }
    workers.execute(ended::incrementAndGet, givenBack::incrementAndGet);
    assertThat(givenBack).as("what has come too late, at once").hasValue(1);
    answer.countDown();
    stop.join();

    assertThat(ended).as("the call alone").hasValue(1);
    assertThat(givenBack).as("what waited for a thread too").hasValue(2);
  }

  private void call() {
    begun.countDown();
    try {
      answer.await();
      ended.incrementAndGet();
    } catch (InterruptedException e) {
      interrupted.incrementAndGet();
    }
  }
}
