// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.batch;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/** By the time at which each is ready; those of one time in the order in which they came. */
final class TimedLine<T> implements Line<T> {
  private final PriorityQueue<Waiting<T>> waiting = new PriorityQueue<>();
  private final boolean timed;
  private final ToLongFunction<T> readyAt;
  private final LongSupplier clock;
  private long added;

  /**
   * @param timed whether some may not be ready
   */
  TimedLine(boolean timed, ToLongFunction<T> readyAt, LongSupplier clock) {
    this.timed = timed;
    this.readyAt = readyAt;
    this.clock = clock;
  }

  @Override
  public void add(T one) {
    waiting.add(new Waiting<>(one, readyAt.applyAsLong(one), added++));
  }

  @Override
  public int size() {
    return waiting.size();
  }

  @Override
  public long untilReady() {
    Waiting<T> first = waiting.peek();
    return first == null ? Long.MAX_VALUE : first.readyAt - clock.getAsLong();
  }

  @Override
  public boolean fills(int batch) {
    return !timed && waiting.size() >= batch;
  }

  @Override
  public List<T> next(int most, boolean evenEarly) {
    long now = clock.getAsLong();
    List<T> next = new ArrayList<>(Math.min(most, waiting.size()));
    for (Waiting<T> first = waiting.peek();
        first != null && next.size() < most && (evenEarly || first.readyAt - now <= 0);
        first = waiting.peek()) {
      next.add(waiting.remove().one);
    }
    return next;
  }

  @Override
  public List<T> remove(Predicate<T> test) {
    List<T> removed = new ArrayList<>();
    waiting.removeIf(each -> test.test(each.one) && removed.add(each.one));
    return removed;
  }

  private record Waiting<T>(T one, long readyAt, long number) implements Comparable<Waiting<T>> {
    /** Compares the difference, since such a time may overflow. */
    @Override
    public int compareTo(Waiting<T> other) {
      long later = readyAt - other.readyAt;
      return Long.compare(later == 0 ? number - other.number : later, 0);
    }
  }
}
