// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.batch;

import io.pocketwatch.store.MessageKey;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/** The order in which {@link Batches} takes what waits. Not thread-safe: its owner guards it. */
public interface Line<T> {
  void add(T one);

  int size();

  /** The nanoseconds until the next item is ready; 0 or less if it is ready now. */
  long untilReady();

  /** Whether a full batch is ready; false also if that is costly to find out. */
  boolean fills(int batch);

  /**
   * Takes out the next items.
   *
   * @param evenEarly also those that are not ready
   */
  List<T> next(int most, boolean evenEarly);

  /** Takes out all items that pass the test. */
  List<T> remove(Predicate<T> test);

  /** First come, first taken. */
  static <T> Line<T> inOrder() {
    return new TimedLine<>(false, one -> 0, () -> 0);
  }

  /**
   * Each at its time.
   *
   * @param readyAt when an item is ready, in nanoseconds of the clock
   * @param clock may be set; items keep their order all the same
   */
  static <T> Line<T> byTime(ToLongFunction<T> readyAt, LongSupplier clock) {
    return new TimedLine<>(true, readyAt, clock);
  }

  /** Each at its time; routes whose items are ready take turns. */
  static <T> Line<T> byTimeInTurns(
      ToLongFunction<T> readyAt, LongSupplier clock, Function<T, MessageKey> key) {
    return new TimedTurns<>(new TimedLine<>(true, readyAt, clock), new RouteTurns<>(key));
  }

  /** Routes take turns, so a backlog of one holds up no other. No batch has a message twice. */
  static <T> Line<T> inTurns(Function<T, MessageKey> key) {
    return new RouteTurns<>(key);
  }
}
