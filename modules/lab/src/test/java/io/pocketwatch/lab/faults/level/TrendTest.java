// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.level;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.lab.faults.level.Trend.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

class TrendTest {
  private static final Gauge THREADS = new Gauge(Part.LOADER, Kind.THREADS);
  private static final Gauge HEAP = new Gauge(Part.LOADER, Kind.HEAP);
  private static final Gauge CONNECTIONS = new Gauge(Part.BROKER, Kind.CONNECTIONS);
  private static final Gauge QUEUES = new Gauge(Part.BROKER, Kind.QUEUES);
  private static final Duration LENGTH = Duration.ofMinutes(10);
  private static final Duration STEADY_AFTER = Duration.ofSeconds(45);

  @Test
  void a_leak_of_one_thread_a_minute_is_seen() {
    Trend trend = trend(THREADS, second -> 40 + second / 60);

    assertThat(trend.finding()).isEqualTo(Finding.GROWN);
    assertThat(trend.toString()).contains("loader: threads: grown");
  }

  @Test
  void up_and_down_is_level() {
    assertThat(trend(THREADS, second -> 40 + second % 20).finding()).isEqualTo(Finding.LEVEL);
  }

  @Test
  void one_bad_moment_is_not_growth() {
    assertThat(trend(THREADS, second -> second == 590 ? 4_000 : 40).finding())
        .isEqualTo(Finding.LEVEL);
  }

  @Test
  void what_the_first_minutes_load_is_left_out() {
    assertThat(trend(HEAP, second -> second < 120 ? second << 20 : 120 << 20).finding())
        .isEqualTo(Finding.LEVEL);
  }

  @Test
  void less_is_never_growth() {
    assertThat(trend(THREADS, second -> 700 - second).finding()).isEqualTo(Finding.LEVEL);
  }

  @Test
  void a_tenth_more_is_level_and_a_little_above_is_not() {
    assertThat(trend(THREADS, second -> second < 300 ? 100 : 110).finding())
        .isEqualTo(Finding.LEVEL);
    assertThat(trend(THREADS, second -> second < 300 ? 100 : 111).finding())
        .isEqualTo(Finding.GROWN);
  }

  @Test
  void two_lives_of_a_process_are_not_compared_but_what_others_hold_is() {
    List<Sample> samples = new ArrayList<>();
    for (int second = 0; second < 600; second += 10) {
      long life = second < 300 ? 1 : 2;
      samples.add(
          new Sample(
              Duration.ofSeconds(second),
              Map.of(THREADS, 40L, CONNECTIONS, 40L + second),
              Map.of(Part.LOADER, life, Part.BROKER, life)));
    }

    assertThat(Trend.of(THREADS, samples, thirds(LENGTH)).finding())
        .isEqualTo(Finding.STARTED_ANEW);
    assertThat(Trend.of(CONNECTIONS, samples, thirds(LENGTH)).finding()).isEqualTo(Finding.GROWN);
  }

  @Test
  void nothing_is_said_without_samples() {
    assertThat(Trend.of(THREADS, List.of(), thirds(LENGTH)).finding())
        .isEqualTo(Finding.TOO_FEW_SAMPLES);
  }

  @Test
  void a_short_run_says_nothing_about_what_is_kept_for_a_while() {
    Thirds brief = thirds(Duration.ofMinutes(1));

    assertThat(Trend.of(QUEUES, samples(QUEUES, second -> second), brief).finding())
        .isEqualTo(Finding.RUN_TOO_SHORT);
    assertThat(trend(QUEUES, second -> second).finding()).isEqualTo(Finding.GROWN);
  }

  @Test
  void the_longer_the_run_the_slower_a_growth_is_seen() {
    assertThat(Trend.of(THREADS, List.of(), thirds(Duration.ofHours(10))).unseenPerHour())
        .isLessThan(0.5);
    assertThat(Trend.of(THREADS, List.of(), thirds(LENGTH)).unseenPerHour()).isGreaterThan(30);
  }

  private static Thirds thirds(Duration length) {
    return Thirds.of(length, STEADY_AFTER);
  }

  private static Trend trend(Gauge gauge, LongUnaryOperator value) {
    return Trend.of(gauge, samples(gauge, value), thirds(LENGTH));
  }

  private static List<Sample> samples(Gauge gauge, LongUnaryOperator value) {
    List<Sample> samples = new ArrayList<>();
    for (int second = 0; second < LENGTH.toSeconds(); second += 10) {
      samples.add(
          new Sample(
              Duration.ofSeconds(second),
              Map.of(gauge, value.applyAsLong(second)),
              Map.of(gauge.part(), 7L)));
    }
    return samples;
  }
}
