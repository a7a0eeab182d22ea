// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.batch;

import io.pocketwatch.store.MessageKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

/** A line for each route, which take turns. */
final class RouteTurns<T> implements Line<T> {
  private final Function<T, MessageKey> key;
  private final Map<String, Deque<T>> routes = new LinkedHashMap<>();
  private int size;

  RouteTurns(Function<T, MessageKey> key) {
    this.key = key;
  }

  @Override
  public void add(T one) {
    routes.computeIfAbsent(key.apply(one).route(), route -> new ArrayDeque<>()).add(one);
    size++;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public long untilReady() {
    return size == 0 ? Long.MAX_VALUE : 0;
  }

  @Override
  public boolean fills(int batch) {
    return size >= batch;
  }

  @Override
  public List<T> next(int most, boolean evenEarly) {
    Map<MessageKey, T> batch = new LinkedHashMap<>();
    int before = -1;
    while (batch.size() > before && batch.size() < most) {
      before = batch.size();
      for (Deque<T> route : routes.values()) {
        if (batch.size() < most) {
          takeNext(route, batch);
        }
      }
    }
    batch.keySet().stream().map(MessageKey::route).distinct().forEach(this::goesLast);
    size -= batch.size();
    return List.copyOf(batch.values());
  }

  /** An item about a message that the batch already has is left for the next batch. */
  private void takeNext(Deque<T> route, Map<MessageKey, T> batch) {
    for (Iterator<T> each = route.iterator(); each.hasNext(); ) {
      T one = each.next();
      if (batch.putIfAbsent(key.apply(one), one) == null) {
        each.remove();
        return;
      }
    }
  }

  /** With more routes than a batch has places, the next batch begins with the others. */
  private void goesLast(String route) {
    Deque<T> left = routes.remove(route);
    if (left != null && !left.isEmpty()) {
      routes.put(route, left);
    }
  }

  @Override
  public List<T> remove(Predicate<T> test) {
    List<T> removed = new ArrayList<>();
    routes.values().forEach(each -> each.removeIf(one -> test.test(one) && removed.add(one)));
    routes.values().removeIf(Deque::isEmpty);
    size -= removed.size();
    return removed;
  }
}
