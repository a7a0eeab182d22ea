// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.internal.rows.StoreRule;
import io.pocketwatch.testing.HandScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BatchesTest {
  private static final Duration NONE = Duration.ZERO;
  private static final long HOUR = Duration.ofHours(1).toNanos();
  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final String THREADS = "test";

  private final HandScheduler time = new HandScheduler();
  private final List<List<String>> written = new ArrayList<>();
  private final Map<String, Long> readyAt = new HashMap<>();
  private final List<Batches<?>> open = new ArrayList<>();
  private Consumer<List<String>> writer = written::add;
  private boolean failing;
  private long now;

  @AfterEach
  void close() {
    open.forEach(Batches::close);
    assertThat(time.threadsLeft()).isEmpty();
  }

  @Test
  void one_alone_is_written_at_once() {
    add(inOrder(10, 10, 1), "a");
    time.runAll();
    assertThat(written).containsExactly(List.of("a"));
  }

  @Test
  void what_is_added_while_a_batch_is_written_is_the_next_one() {
    Batches<String> batches = inOrder(10, 10, 1);
    writer =
        batch -> {
          written.add(batch);
          if (batch.contains("a")) {
            add(batches, "b", "c", "d");
            time.runAll();
            assertThat(written).as("by one writer").hasSize(1);
          }
        };
    add(batches, "a");
    time.advance(Duration.ofMillis(10));
    assertThat(written).containsExactly(List.of("a"), List.of("b", "c", "d"));
  }

  @Test
  void batches_keep_apart_and_full_ones_do_not() {
    Batches<String> batches = inOrder(100, 3, 1);
    add(batches, "a");
    time.runAll();
    add(batches, "b", "c");
    time.advance(Duration.ofNanos(2_999_999));
    assertThat(written).hasSize(1);
    time.advance(Duration.ofNanos(1));
    assertThat(written).containsExactly(List.of("a"), List.of("b", "c"));

    add(batches, "d", "e", "f", "g");
    time.runAll();
    assertThat(written.subList(2, written.size())).containsExactly(List.of("d", "e", "f"));
  }

  @Test
  void what_is_hurried_does_not_wait_and_takes_the_others_with_it() {
    Batches<String> batches = inOrder(100, 10, 1);
    add(batches, "a");
    time.runAll();
    add(batches, "b");
    batches.addHurried("c");
    time.runAll();
    assertThat(written).containsExactly(List.of("a"), List.of("b", "c"));
    add(batches, "d");
    time.runAll();
    assertThat(written).as("nobody hurries it").hasSize(2);
    batches.hurry();
    time.runAll();
    assertThat(written).hasSize(3);
  }

  /** A database that hangs with one batch has another. */
  @Test
  void a_second_writer_begins_while_the_first_writes() {
    Batches<String> batches = inOrder(100, 10, 2);
    writer =
        batch -> {
          written.add(batch);
          if (batch.contains("a")) {
            add(batches, "b");
            time.advance(Duration.ofMillis(3));
            assertThat(written).hasSize(2);
            add(batches, "c");
            time.advance(Duration.ofMillis(3));
          }
        };
    add(batches, "a");
    time.advance(Duration.ofMillis(10));
    assertThat(written).containsExactly(List.of("a"), List.of("b"), List.of("c"));
  }

  @Test
  void what_is_to_wait_is_written_when_its_time_has_come_and_holds_up_nobody() {
    readyAt.putAll(Map.of("late", HOUR, "soon", SECOND));
    Batches<String> batches = byTime(10);
    add(batches, "late", "soon", "now");
    time.runAll();
    assertThat(written).containsExactly(List.of("now"));
    now = SECOND;
    time.advance(Duration.ofMillis(100));
    now = HOUR;
    time.advance(Duration.ofMillis(100));
    assertThat(written).containsExactly(List.of("now"), List.of("soon"), List.of("late"));
  }

  @Test
  void nothing_wakes_up_while_nothing_waits() {
    Batches<String> batches = byTime(10);
    add(batches, "a");
    time.advance(Duration.ofSeconds(1));
    assertThat(time.runOne()).isFalse();
    assertThat(time.planned()).isZero();
  }

  @Test
  void a_clock_that_is_set_back_does_not_put_what_is_due_behind_what_is_not() {
    readyAt.put("before", 2 * SECOND);
    Batches<String> batches = byTime(10);
    add(batches, "before");
    now = -HOUR;
    readyAt.put("due", -HOUR);
    add(batches, "due");
    time.advance(Duration.ofMillis(100));
    assertThat(written).containsExactly(List.of("due"));
  }

  @Test
  void all_is_written_on_close_whatever_its_time_and_then_nothing_is_taken() {
    readyAt.put("late", HOUR);
    Batches<String> batches = byTime(100);
    add(batches, "late");
    IntStream.range(0, 25).forEach(i -> add(batches, "n" + i));

    batches.close(Duration.ofSeconds(5));

    assertThat(written.stream().flatMap(List::stream)).hasSize(26).doesNotHaveDuplicates();
    assertThat(batches.add("another", NONE)).isFalse();
    assertThat(batches.closed()).isTrue();
  }

  @Test
  void it_does_not_wait_longer_for_the_last_batches_than_it_may() {
    Batches<String> batches = inOrder(10, 10, 1);
    time.busy(THREADS);
    add(batches, "a");
    long before = time.nanoTime();
    batches.close(Duration.ofSeconds(2));
    assertThat(time.nanoTime() - before).isEqualTo(2 * SECOND);
    time.idle(THREADS);
    time.runAll();
    assertThat(written).containsExactly(List.of("a"));
  }

  @Test
  void takes_no_more_than_it_has_room_for_and_again_when_there_is() {
    readyAt.putAll(Map.of("a", SECOND, "b", HOUR));
    Batches<String> batches = byTime(2);
    add(batches, "a", "b");
    assertThat(batches.add("c", NONE)).isFalse();
    assertThat(batches.room()).isZero();
    now = SECOND;
    time.advance(Duration.ofMillis(100));
    assertThat(batches.add("c", NONE)).isTrue();
  }

  /** More than the bytes that a small heap has for what waits. */
  @Test
  void who_bounds_what_waits_himself_is_never_refused() {
    Batches<String> batches =
        new Batches<>(
            time,
            THREADS,
            Line.inOrder(),
            Batches.Limits.unbounded(10, Batches.APART),
            batch -> writer.accept(batch));
    open.add(batches);
    time.busy(THREADS);
    for (int i = 0; i < 1_000_000; i++) {
      assertThat(batches.add("a", NONE)).isTrue();
    }
    batches.takeOut("a"::equals);
    time.idle(THREADS);
  }

  @Test
  void what_is_taken_out_is_not_written_and_leaves_its_room() {
    readyAt.putAll(Map.of("a", SECOND, "b", SECOND));
    Batches<String> batches = byTime(2);
    add(batches, "a", "b");
    assertThat(batches.takeOut("a"::equals)).containsExactly("a");
    assertThat(batches.room()).isOne();
    now = SECOND;
    time.advance(Duration.ofMillis(100));
    assertThat(written).containsExactly(List.of("b"));
  }

  /** Nobody else would send what is due. */
  @Test
  void a_clock_that_fails_puts_nothing_off_for_good() {
    readyAt.put("late", SECOND);
    Batches<String> batches = byTime(10);
    add(batches, "late");
    failing = true;
    time.advance(Duration.ofSeconds(1));
    now = SECOND;
    failing = false;
    time.advance(Duration.ofSeconds(1));
    assertThat(written).containsExactly(List.of("late"));
    assertThat(batches.room()).isEqualTo(10);
  }

  @Test
  void a_writer_that_fails_goes_on() {
    writer =
        batch -> {
          written.add(batch);
          throw new IllegalStateException("on purpose");
        };
    Batches<String> batches = inOrder(10, 10, 1);
    add(batches, "a");
    time.advance(Duration.ofMillis(10));
    add(batches, "b");
    time.advance(Duration.ofMillis(10));
    assertThat(written).containsExactly(List.of("a"), List.of("b"));
    assertThat(batches.room()).isEqualTo(10);
  }

  /** So that a lease never ends while its row waits in the process. */
  @Test
  void every_lease_is_longer_than_twice_the_longest_wait_for_an_instant() {
    Duration tooShort = StoreRule.NEAR_DUE.multipliedBy(2);

    assertThatThrownBy(() -> LoaderOptions.builder().lease(tooShort).build())
        .isInstanceOf(IllegalArgumentException.class);
  }

  private Batches<String> byTime(int capacity) {
    return open(Line.byTime(one -> readyAt.getOrDefault(one, 0L), this::now), capacity, 10, 1);
  }

  private Batches<String> inOrder(int capacity, int largest, int writers) {
    return open(Line.inOrder(), capacity, largest, writers);
  }

  private Batches<String> open(Line<String> line, int capacity, int largest, int writers) {
    Batches.Limits<String> limits =
        new Batches.Limits<>(capacity, one -> 1, largest, writers, Batches.APART);
    Batches<String> batches =
        new Batches<>(time, THREADS, line, limits, batch -> writer.accept(batch));
    open.add(batches);
    return batches;
  }

  private static void add(Batches<String> batches, String... those) {
    List.of(those).forEach(one -> assertThat(batches.add(one, NONE)).isTrue());
  }

  private long now() {
    if (failing) {
      throw new OutOfMemoryError("on purpose");
    }
    return now;
  }
}
