// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.batch;

import io.pocketwatch.store.MessageKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The order in which {@link Batches} takes what waits: by the time at which each item is ready, and
 * of the ready ones by route, in turns. Not thread-safe: its owner guards it.
 */
public final class Line<T> {
  private final @Nullable ToLongFunction<T> readyAt;
  private final LongSupplier clock;
  private final @Nullable Function<T, MessageKey> key;
  private final PriorityQueue<Early<T>> early = new PriorityQueue<>();
  private final Map<String, Deque<T>> ready = new LinkedHashMap<>();
  private int readyOnes;
  private long added;

  private Line(
      @Nullable ToLongFunction<T> readyAt,
      LongSupplier clock,
      @Nullable Function<T, MessageKey> key) {
    this.readyAt = readyAt;
    this.clock = clock;
    this.key = key;
  }

  /** First come, first taken. */
  public static <T> Line<T> inOrder() {
    return new Line<>(null, () -> 0, null);
  }

  /**
   * Each at its time.
   *
   * @param readyAt when an item is ready, in nanoseconds of the clock
   * @param clock may be set; items keep their order all the same
   */
  public static <T> Line<T> byTime(ToLongFunction<T> readyAt, LongSupplier clock) {
    return new Line<>(readyAt, clock, null);
  }

  /** Each at its time; routes whose items are ready take turns. */
  public static <T> Line<T> byTimeInTurns(
      ToLongFunction<T> readyAt, LongSupplier clock, Function<T, MessageKey> key) {
    return new Line<>(readyAt, clock, key);
  }

  /** Routes take turns, so a backlog of one holds up no other. No batch has a message twice. */
  public static <T> Line<T> inTurns(Function<T, MessageKey> key) {
    return new Line<>(null, () -> 0, key);
  }

  public void add(T one) {
    if (readyAt == null) {
      addReady(one);
    } else {
      early.add(new Early<>(one, readyAt.applyAsLong(one), added++));
    }
  }

  private void addReady(T one) {
    String route = key == null ? "" : key.apply(one).route();
    ready.computeIfAbsent(route, each -> new ArrayDeque<>()).add(one);
    readyOnes++;
  }

  public int size() {
    return early.size() + readyOnes;
  }

  /** The nanoseconds until the next item is ready; 0 or less if it is ready now. */
  public long untilReady() {
    if (readyOnes > 0) {
      return 0;
    }
    Early<T> first = early.peek();
    return first == null ? Long.MAX_VALUE : first.readyAt - clock.getAsLong();
  }

  /** Whether a full batch is ready; false also if that is costly to find out. */
  public boolean fills(int batch) {
    return readyAt == null && readyOnes >= batch;
  }

  /**
   * Takes out the next items.
   *
   * @param evenEarly also those that are not ready
   */
  public List<T> next(int most, boolean evenEarly) {
    long now = clock.getAsLong();
    for (Early<T> first = early.peek();
        first != null && (evenEarly || first.readyAt - now <= 0);
        first = early.peek()) {
      addReady(early.remove().one);
    }
    List<T> batch = new ArrayList<>(Math.min(most, readyOnes));
    Set<MessageKey> messages = new HashSet<>();
    Set<String> served = new LinkedHashSet<>();
    int before = -1;
    while (batch.size() > before && batch.size() < most) {
      before = batch.size();
      for (Map.Entry<String, Deque<T>> route : ready.entrySet()) {
        T one = batch.size() < most ? takeNext(route.getValue(), messages) : null;
        if (one != null) {
          batch.add(one);
          served.add(route.getKey());
        }
      }
    }
    served.forEach(this::goesLast);
    readyOnes -= batch.size();
    return batch;
  }

  /** An item about a message that the batch already has is left for the next batch. */
  private @Nullable T takeNext(Deque<T> route, Set<MessageKey> messages) {
    for (Iterator<T> each = route.iterator(); each.hasNext(); ) {
      T one = each.next();
      if (key == null || messages.add(key.apply(one))) {
        each.remove();
        return one;
      }
    }
    return null;
  }

  /** With more routes than a batch has places, the next batch begins with the others. */
  private void goesLast(String route) {
    Deque<T> left = ready.remove(route);
    if (left != null && !left.isEmpty()) {
      ready.put(route, left);
    }
  }

  /** Takes out all items that pass the test. */
  public List<T> remove(Predicate<T> test) {
    List<T> removed = new ArrayList<>();
    early.removeIf(each -> test.test(each.one) && removed.add(each.one));
    int ofEarly = removed.size();
    ready.values().forEach(each -> each.removeIf(one -> test.test(one) && removed.add(one)));
    ready.values().removeIf(Deque::isEmpty);
    readyOnes -= removed.size() - ofEarly;
    return removed;
  }

  private record Early<T>(T one, long readyAt, long number) implements Comparable<Early<T>> {
    /** Compares the difference, since such a time may overflow. */
    @Override
    public int compareTo(Early<T> other) {
      long later = readyAt - other.readyAt;
      return Long.compare(later == 0 ? number - other.number : later, 0);
    }
  }
}
