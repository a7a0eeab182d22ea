// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TogetherTest {
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<List<Integer>> batches = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch first = new CountDownLatch(1);
  private final AtomicInteger waiting = new AtomicInteger();

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  @Test
  void aloneACallRunsAtOnce() {
    Together<Integer, String> together = new Together<>(1, 10, this::answer);
    first.countDown();

    assertThat(together.ask(1)).isEqualTo("1");
    assertThat(together.ask(2)).isEqualTo("2");
    assertThat(batches).containsExactly(List.of(1), List.of(2));
  }

  @Test
  void whatComesMeanwhileSharesTheNextUpToTheLargest() throws Exception {
    Together<Integer, String> together = new Together<>(1, 4, this::answer);
    List<Future<String>> answers = new ArrayList<>();
    answers.add(threads.submit(() -> together.ask(0)));
    Awaitility.await().until(() -> batches.size() == 1);
    for (int i = 1; i <= 10; i++) {
      int question = i;
      answers.add(threads.submit(() -> ask(together, question)));
    }
    Awaitility.await().until(() -> waiting.get() == 10 && blocked() == 10);
    first.countDown();

    for (int i = 0; i <= 10; i++) {
      assertThat(answers.get(i).get(10, TimeUnit.SECONDS)).isEqualTo(String.valueOf(i));
    }
    assertThat(batches).extracting(List::size).containsExactly(1, 4, 4, 2);
  }

  @Test
  void whatFailsTogetherIsLeftToBeAskedAlone() {
    Together<Integer, String> together =
        new Together<>(
            1,
            10,
            questions -> {
              throw new IllegalStateException("down");
            });

    assertThat(together.ask(1)).isNull();
    assertThat(together.ask(2)).as("the next one gets its turn").isNull();
  }

  @Test
  void anInterruptWaitsForTheAnswer() throws Exception {
    Together<Integer, String> together = new Together<>(1, 10, this::answer);
    Future<String> running = threads.submit(() -> together.ask(0));
    Awaitility.await().until(() -> batches.size() == 1);
    CountDownLatch interrupted = new CountDownLatch(1);
    Future<Boolean> flag =
        threads.submit(
            () -> {
              Thread.currentThread().interrupt();
              interrupted.countDown();
              assertThat(together.ask(1)).isEqualTo("1");
              return Thread.currentThread().isInterrupted();
            });
    interrupted.await();
    first.countDown();

    assertThat(running.get(10, TimeUnit.SECONDS)).isEqualTo("0");
    assertThat(flag.get(10, TimeUnit.SECONDS)).isTrue();
  }

  private String ask(Together<Integer, String> together, int question) {
    Thread.currentThread().setName("asking " + question);
    waiting.incrementAndGet();
    return together.ask(question);
  }

  private static long blocked() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("asking "))
        .filter(thread -> thread.getState() == Thread.State.WAITING)
        .count();
  }

  /** The first batch does not end before it may. */
  private List<String> answer(List<Integer> questions) {
    batches.add(questions);
    if (first.getCount() == 0) {
      return answers(questions);
    }
    try {
      first.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return answers(questions);
  }

  private static List<String> answers(List<Integer> questions) {
    return questions.stream().map(String::valueOf).toList();
  }
}
