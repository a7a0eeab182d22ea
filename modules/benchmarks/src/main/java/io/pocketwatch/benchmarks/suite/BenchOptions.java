// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.suite;

import io.pocketwatch.benchmarks.harness.Due;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How a suite is run; each suite reads what concerns it.
 *
 * @param messages per trial and subject; slow subjects are given fewer
 * @param rounds that count
 * @param warmups rounds before them that do not
 * @param rates messages per second asked for where a suite goes through several
 * @param length of a trial at a rate
 * @param longestDelay where delays are random seconds they are from 1 s to this
 * @param held how many messages are held meanwhile, where a suite goes through several
 * @param rows pending in tables meanwhile
 * @param burstAfter a burst is due that long after its round began at the earliest; zero: as soon
 *     as everything is held
 */
public record BenchOptions(
    int messages,
    int rounds,
    int warmups,
    List<Integer> rates,
    Duration length,
    Duration longestDelay,
    List<Integer> held,
    long rows,
    Duration burstAfter) {
  private static final Duration BURST_WINDOW = Duration.ofSeconds(1);

  public BenchOptions {
    rates = List.copyOf(rates);
    held = List.copyOf(held);
  }

  /** As published: five rounds. */
  public static BenchOptions full() {
    return new BenchOptions(
        50_000,
        5,
        1,
        List.of(500, 1_000, 2_000, 4_000, 8_000),
        Duration.ofSeconds(30),
        Duration.ofSeconds(30),
        List.of(0, 100_000, 1_000_000),
        1_000_000,
        Duration.ZERO);
  }

  /** These with another number of messages. */
  BenchOptions withMessages(int value) {
    return new BenchOptions(
        value, rounds, warmups, rates, length, longestDelay, held, rows, burstAfter);
  }

  /** These with other numbers of rounds. */
  BenchOptions withRounds(int counting, int before) {
    return new BenchOptions(
        messages, counting, before, rates, length, longestDelay, held, rows, burstAfter);
  }

  /** These with one rate for so long. */
  BenchOptions withRate(int perSecond, Duration time) {
    return new BenchOptions(
        messages, rounds, warmups, List.of(perSecond), time, longestDelay, held, rows, burstAfter);
  }

  /** Only to see that everything works; its figures mean nothing. */
  public static BenchOptions shortForm() {
    return new BenchOptions(
        1_000,
        1,
        0,
        List.of(200),
        Duration.ofSeconds(3),
        Duration.ofSeconds(3),
        List.of(0, 2_000),
        10_000,
        Duration.ZERO);
  }

  /** Random delays from a second up, to the millisecond. */
  Due seconds() {
    return Due.within(Duration.ofSeconds(1), longestDelay);
  }

  /**
   * All within one second, when everything is held.
   *
   * @param held how long after the round began everything is held, as far as is known
   */
  Due burst(Duration held) {
    return Due.burst(held.compareTo(burstAfter) > 0 ? held : burstAfter, BURST_WINDOW);
  }

  /** For the results. */
  Map<String, Object> asMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("messages", messages);
    map.put("rounds", rounds);
    map.put("warmups", warmups);
    map.put("rates", rates);
    map.put("seconds", length.toSeconds());
    map.put("held", held);
    map.put("rows", rows);
    map.put("burstAfterSeconds", burstAfter.toSeconds());
    return map;
  }
}
