// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.internal.rows.StoreRule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GroupCommitTest {
  private static final Duration NONE = Duration.ZERO;
  private static final long HOUR = Duration.ofHours(1).toNanos();
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final BlockingQueue<List<String>> written = new LinkedBlockingQueue<>();
  private final Map<String, Long> readyAt = new ConcurrentHashMap<>();
  private final CountDownLatch failed = new CountDownLatch(1);
  private volatile boolean failing;
  private volatile long now;
  private final List<GroupCommit<?>> open = new ArrayList<>();

  @AfterEach
  void close() {
    open.forEach(GroupCommit::close);
  }

  @Test
  void what_is_added_while_a_batch_is_written_is_the_next_one() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    GroupCommit<String> batches =
        batches(
            10,
            batch -> {
              written.add(batch);
              await(go);
            });
    batches.add("a", NONE);
    assertThat(next()).containsExactly("a");

    List.of("b", "c", "d").forEach(one -> batches.add(one, NONE));
    go.countDown();

    assertThat(next()).containsExactly("b", "c", "d");
  }

  @Test
  void what_is_to_wait_is_written_when_its_time_has_come_and_holds_up_nobody() throws Exception {
    readyAt.put("late", HOUR);
    readyAt.put("soon", SECOND);
    GroupCommit<String> batches = batches(10, written::add);
    batches.add("late", NONE);
    batches.add("soon", NONE);
    batches.add("now", NONE);

    assertThat(next()).containsExactly("now");
    assertThat(written).isEmpty();
    now = SECOND;
    assertThat(next()).containsExactly("soon");
    now = HOUR;
    assertThat(next()).containsExactly("late");
  }

  @Test
  void a_clock_that_is_set_back_does_not_put_what_is_due_behind_what_is_not() throws Exception {
    readyAt.put("before", 2 * SECOND);
    GroupCommit<String> batches = batches(10, written::add);
    batches.add("before", NONE);
    now = -HOUR;
    readyAt.put("due", -HOUR);

    batches.add("due", NONE);

    assertThat(next()).containsExactly("due");
  }

  @Test
  void what_waits_for_its_time_is_written_on_close() throws Exception {
    readyAt.put("late", HOUR);
    GroupCommit<String> batches = batches(10, written::add);
    batches.add("late", NONE);

    batches.close();

    assertThat(next()).containsExactly("late");
    assertThat(batches.add("another", NONE)).isFalse();
  }

  @Test
  void all_its_threads_end_when_it_is_closed() {
    AtomicInteger written = new AtomicInteger();
    Consumer<List<Integer>> writer = batch -> written.addAndGet(batch.size());
    GroupCommit<Integer> batches = new GroupCommit<>("ending", 3, 100, one -> 0, 7, writer);
    IntStream.range(0, 100).forEach(one -> batches.add(one, NONE));

    batches.close(Duration.ofSeconds(30));

    assertThat(written).hasValue(100);
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().startsWith("ending"));
  }

  @Test
  void takes_no_more_than_it_has_room_for_and_again_when_there_is() throws Exception {
    readyAt.putAll(Map.of("a", SECOND, "b", HOUR));
    GroupCommit<String> batches = batches(2, written::add);

    assertThat(batches.add("a", NONE)).isTrue();
    assertThat(batches.add("b", NONE)).isTrue();
    assertThat(batches.add("c", NONE)).isFalse();
    now = SECOND;
    assertThat(batches.add("c", Duration.ofSeconds(10))).isTrue();
  }

  /** An error there would end the only thread, and nobody would send what is due any more. */
  @Test
  void what_cannot_be_gathered_still_waits_and_is_written_later() throws Exception {
    readyAt.put("late", SECOND);
    GroupCommit<String> batches = batches(10, written::add);
    batches.add("late", NONE);
    failing = true;
    await(failed);
    now = SECOND;

    failing = false;

    assertThat(next()).containsExactly("late");
    assertThat(batches.room()).isEqualTo(10);
  }

  @Test
  void a_writer_that_fails_goes_on() throws Exception {
    GroupCommit<String> batches =
        batches(
            10,
            batch -> {
              written.add(batch);
              throw new IllegalStateException("on purpose");
            });
    batches.add("a", NONE);
    assertThat(next()).containsExactly("a");

    batches.add("b", NONE);

    assertThat(next()).containsExactly("b");
  }

  /** So that a lease never ends while its row waits in the process. */
  @Test
  void every_lease_is_longer_than_twice_the_longest_wait_for_an_instant() {
    Duration tooShort = StoreRule.NEAR_DUE.multipliedBy(2);

    assertThatThrownBy(() -> LoaderOptions.builder().lease(tooShort).build())
        .isInstanceOf(IllegalArgumentException.class);
  }

  private GroupCommit<String> batches(int capacity, Consumer<List<String>> writer) {
    GroupCommit<String> batches =
        new GroupCommit<>(
            "test",
            1,
            capacity,
            one -> 1,
            10,
            one -> readyAt.getOrDefault(one, 0L),
            this::now,
            writer);
    open.add(batches);
    return batches;
  }

  private long now() {
    if (failing) {
      failed.countDown();
      throw new OutOfMemoryError("on purpose");
    }
    return now;
  }

  private List<String> next() throws InterruptedException {
    List<String> batch = written.poll(10, TimeUnit.SECONDS);
    assertThat(batch).as("written in time").isNotNull();
    return batch;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
