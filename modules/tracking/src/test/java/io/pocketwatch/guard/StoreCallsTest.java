// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class StoreCallsTest {
  private final List<List<String>> calls = new CopyOnWriteArrayList<>();
  private final CountDownLatch first = new CountDownLatch(1);

  @Test
  void what_comes_while_the_store_is_asked_is_asked_together() {
    try (StoreCalls<String, String> asked = calls(this::answerSlowly)) {
      List<CompletableFuture<String>> answers = new ArrayList<>();
      answers.add(later(asked, "a"));
      while (calls.isEmpty()) {
        Thread.onSpinWait();
      }
      for (String next : List.of("b", "c", "d")) {
        answers.add(later(asked, next));
      }
      first.countDown();

      assertThat(answers.stream().map(CompletableFuture::join)).containsExactly("A", "B", "C", "D");
      assertThat(calls).containsExactly(List.of("a"), List.of("b", "c", "d"));
    }
  }

  @Test
  void no_call_names_a_message_twice() {
    try (StoreCalls<String, String> asked = calls(this::answerSlowly)) {
      later(asked, "a");
      while (calls.isEmpty()) {
        Thread.onSpinWait();
      }
      List<CompletableFuture<String>> answers =
          List.of(later(asked, "b"), later(asked, "b"), later(asked, "c"));
      first.countDown();

      assertThat(answers.stream().map(CompletableFuture::join)).containsExactly("B", "B", "C");
      assertThat(calls).containsExactly(List.of("a"), List.of("b", "c"), List.of("b"));
    }
  }

  @Test
  void routes_take_turns() {
    try (StoreCalls<String, String> asked = calls(this::answerSlowly)) {
      later(asked, "a");
      while (calls.isEmpty()) {
        Thread.onSpinWait();
      }
      for (int i = 0; i < 1_000; i++) {
        later(asked, "b" + i);
      }
      CompletableFuture<String> other = later(asked, "other:1");
      first.countDown();

      other.join();
      assertThat(calls.get(1)).hasSize(200).startsWith("b0", "other:1", "b1", "b2");
    }
  }

  @Test
  void with_more_routes_than_a_call_has_places_the_next_call_begins_with_the_others() {
    try (StoreCalls<String, String> asked = calls(this::answerSlowly)) {
      later(asked, "a");
      while (calls.isEmpty()) {
        Thread.onSpinWait();
      }
      for (int route = 0; route < 300; route++) {
        later(asked, "r%s:1".formatted(route));
        later(asked, "r%s:2".formatted(route));
      }
      CompletableFuture<String> last = later(asked, "r299:3");
      first.countDown();

      last.join();
      assertThat(calls.get(1)).startsWith("r0:1").hasSize(200);
      assertThat(calls.get(2)).startsWith("r200:1").contains("r299:1", "r0:2").hasSize(200);
    }
  }

  @Test
  void one_that_the_store_cannot_take_keeps_nobody_from_it() {
    first.countDown();
    try (StoreCalls<String, String> asked =
        calls(
            all -> {
              if (all.contains("bad")) {
                throw new StoreException("bad");
              }
              return answerSlowly(all);
            })) {
      List<CompletableFuture<String>> answers = new ArrayList<>();
      for (String next : List.of("a", "b", "bad", "c", "d")) {
        answers.add(later(asked, next));
      }

      assertThatThrownBy(answers.get(2)::join).hasMessageContaining("bad");
      answers.remove(2);
      assertThat(answers.stream().map(CompletableFuture::join)).containsExactly("A", "B", "C", "D");
    }
  }

  @Test
  void closed_it_asks_what_waits_and_what_comes_later_on_the_callers_thread() {
    first.countDown();
    StoreCalls<String, String> asked = calls(this::answerSlowly);
    CompletableFuture<String> before = later(asked, "a");
    asked.close();

    assertThat(before).isCompletedWithValue("A");
    assertThat(later(asked, "b")).isCompletedWithValue("B");
  }

  private static CompletableFuture<String> later(
      StoreCalls<String, String> asked, String question) {
    CompletableFuture<String> answer = new CompletableFuture<>();
    asked.ask(
        question,
        false,
        (given, problem) -> {
          if (problem == null) {
            answer.complete(given);
          } else {
            answer.completeExceptionally(problem);
          }
        });
    return answer;
  }

  private static StoreCalls<String, String> calls(StoreCalls.Call<String, String> call) {
    return new StoreCalls<>(
        Scheduler.SYSTEM,
        "test",
        Duration.ofMillis(3),
        id -> new MessageKey(id.contains(":") ? id.substring(0, id.indexOf(':')) : "route", id),
        call);
  }

  private List<String> answerSlowly(List<String> all) {
    calls.add(all);
    try {
      first.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return all.stream().map(text -> text.toUpperCase(Locale.ROOT)).toList();
  }
}
