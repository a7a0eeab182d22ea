// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.batch;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The elements that are not ready by their times, and the ready ones with their routes in turns.
 */
final class TimedTurns<T> implements Line<T> {
  private final TimedLine<T> early;
  private final RouteTurns<T> ready;

  TimedTurns(TimedLine<T> early, RouteTurns<T> ready) {
    this.early = early;
    this.ready = ready;
  }

  @Override
  public void add(T one) {
    early.add(one);
  }

  @Override
  public int size() {
    return early.size() + ready.size();
  }

  @Override
  public long untilReady() {
    return ready.size() > 0 ? 0 : early.untilReady();
  }

  @Override
  public boolean fills(int batch) {
    return false;
  }

  @Override
  public List<T> next(int most, boolean evenEarly) {
    early.next(Integer.MAX_VALUE, evenEarly).forEach(ready::add);
    return ready.next(most, evenEarly);
  }

  @Override
  public List<T> remove(Predicate<T> test) {
    return Stream.concat(early.remove(test).stream(), ready.remove(test).stream()).toList();
  }
}
