// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Thousands of orders of events, drawn by lot. An order that breaks what must hold is made shorter
 * and printed with its seed; {@code -Dpocketwatch.orders.seed=…} begins there, and {@code
 * -Dpocketwatch.orders=…} says how many are drawn.
 *
 * @param <S> what can happen
 * @param <E> that it happens once
 */
public final class Orders<S, E> {
  private static final long FIRST_SEED = Long.getLong("pocketwatch.orders.seed", 1);
  private static final @Nullable Integer ORDERS = Integer.getInteger("pocketwatch.orders");
  private static final int USUAL = 3_000;
  private static final int LONGEST = 60;

  private final List<S> lots;
  private final Events<S, E> events;
  private final Order<E> order;
  private final Map<String, Integer> outcomes = new TreeMap<>();

  /** Makes an event of what happens, and a number that says to which. */
  @FunctionalInterface
  public interface Events<S, E> {
    E of(S step, int which);
  }

  /** Lets events happen, and fails if they break what must hold; answers with what came of them. */
  @FunctionalInterface
  public interface Order<E> {
    List<String> run(long seed, List<E> events);
  }

  /**
   * @param often how many lots a step has
   */
  public Orders(S[] steps, ToIntFunction<S> often, Events<S, E> events, Order<E> order) {
    this.lots =
        Arrays.stream(steps)
            .flatMap(step -> Collections.nCopies(often.applyAsInt(step), step).stream())
            .toList();
    this.events = events;
    this.order = order;
  }

  /** Whether so many are drawn that each outcome comes up. */
  public static boolean many() {
    return ORDERS == null || ORDERS >= 1_000;
  }

  /** Runs as many as is usual where nobody waits for another process. */
  public Map<String, Integer> run() {
    return run(USUAL);
  }

  /**
   * @param usual how many, unless the property says it
   * @return what came of them, and how often
   * @throws AssertionError with the shortest order that breaks what must hold
   */
  public Map<String, Integer> run(int usual) {
    int many = ORDERS == null ? usual : ORDERS;
    for (long seed = FIRST_SEED; seed < FIRST_SEED + many; seed++) {
      List<E> drawn = draw(seed);
      if (problem(seed, drawn) != null) {
        throw new AssertionError(report(seed, shortened(seed, drawn)));
      }
    }
    return outcomes;
  }

  private List<E> draw(long seed) {
    Random random = new Random(seed);
    List<E> drawn = new ArrayList<>();
    for (int left = 1 + random.nextInt(LONGEST); left > 0; left--) {
      drawn.add(events.of(lots.get(random.nextInt(lots.size())), random.nextInt(100)));
    }
    return drawn;
  }

  private @Nullable Throwable problem(long seed, List<E> drawn) {
    try {
      order.run(seed, drawn).forEach(each -> outcomes.merge(each, 1, Integer::sum));
      return null;
    } catch (RuntimeException | Error e) {
      return e;
    }
  }

  /** Without each event that makes no difference. */
  private List<E> shortened(long seed, List<E> drawn) {
    List<E> left = drawn;
    for (int i = left.size() - 1; i >= 0; i--) {
      List<E> fewer = new ArrayList<>(left);
      fewer.remove(i);
      if (problem(seed, fewer) != null) {
        left = fewer;
      }
    }
    return left;
  }

  private String report(long seed, List<E> drawn) {
    String lines =
        drawn.stream().map(each -> "  " + each).collect(Collectors.joining(System.lineSeparator()));
    return "seed %d%n%s%n%s".formatted(seed, lines, problem(seed, drawn));
  }
}
