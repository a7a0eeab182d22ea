// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.topology;

import io.pocketwatch.config.WheelOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A hierarchical timing wheel made of queues.
 *
 * <p>A delay is written with one digit per hand, widest hand first. At hands of a day, an hour, a
 * minute, a second and 10 ms, 1 h 30 s is {@code 0 1 0 30 0}. Each non-zero digit is one wait in
 * the TTL queue at that position of that hand; a zero is no wait. Then the message passes to the
 * exchange of the next hand, and after the last one to the release exchange. Publishing starts at
 * the widest non-zero hand, so a delay costs as many waits as it has non-zero digits.
 *
 * <p>Delays are rounded up to the unit of the last hand: messages are late by less than the
 * resolution, never early. It is the wheel of Varghese and Lauck (1987), except that no clock turns
 * it: each queue's TTL does. Immutable.
 */
public final class Wheel {
  private final WheelOptions options;
  private final List<Hand> hands;

  public Wheel(WheelOptions options) {
    this.options = options;
    List<Hand> hands = new ArrayList<>();
    List<Duration> units = options.hands();
    for (int hand = 0; hand < units.size(); hand++) {
      Duration next = hand + 1 < units.size() ? units.get(hand + 1) : null;
      hands.add(new Hand(units.get(hand), options.positions(hand), next));
    }
    this.hands = List.copyOf(hands);
  }

  /** The hands, widest first. */
  public List<Hand> hands() {
    return hands;
  }

  /**
   * The way of a delay through the wheel, from its first non-zero digit.
   *
   * @param delay from above zero up to the wheel's maximum, or less than a millisecond above it,
   *     which rounding up can add
   * @throws IllegalArgumentException if the delay is outside that range
   */
  public List<Step> steps(Duration delay) {
    return way(delay, roundUp(delay));
  }

  /**
   * The way of a delay rounded up to a coarser resolution than the wheel's, unless that would
   * exceed the wheel's maximum.
   */
  public List<Step> steps(Duration delay, Duration resolution) {
    Duration held = roundUp(roundUp(delay, resolution));
    return way(delay, held.compareTo(options.maxDelay()) > 0 ? roundUp(delay) : held);
  }

  private List<Step> way(Duration delay, Duration held) {
    if (delay.isNegative() || delay.isZero() || held.compareTo(longest()) > 0) {
      throw new IllegalArgumentException(
          "delay " + delay + " is not within the wheel's " + options.maxDelay());
    }
    long rest = held.toMillis();
    List<Step> steps = new ArrayList<>(hands.size());
    for (Hand hand : hands) {
      long unit = hand.unit().toMillis();
      int position = Math.toIntExact(rest / unit);
      rest %= unit;
      if (position > 0 || !steps.isEmpty()) {
        steps.add(new Step(hand, position));
      }
    }
    return steps;
  }

  private Duration longest() {
    return options.maxDelay().plus(options.resolution());
  }

  /** How long a message with this delay is held: the delay, rounded up to the resolution. */
  public Duration roundUp(Duration delay) {
    return roundUp(delay, options.resolution());
  }

  private static Duration roundUp(Duration delay, Duration to) {
    long resolution = to.toMillis();
    long millis = delay.toMillis();
    if (delay.toNanosPart() % 1_000_000 != 0) {
      millis++;
    }
    return Duration.ofMillis((millis + resolution - 1) / resolution * resolution);
  }

  /** A hand: positions 1 to {@code positions} each have a queue, 0 is a binding to the next. */
  public static final class Hand {
    private final Duration unit;
    private final List<String> keys;

    /**
     * @param next the hand after it, or null for the last
     */
    private Hand(Duration unit, int positions, @Nullable Duration next) {
      this.unit = unit;
      List<String> keys = new ArrayList<>(positions + 1);
      keys.add(BccKeys.zero(unit, next));
      for (int position = 1; position <= positions; position++) {
        keys.add(BccKeys.hand(unit, position));
      }
      this.keys = List.copyOf(keys);
    }

    /** The delay of one position. */
    public Duration unit() {
      return unit;
    }

    /** The highest position. */
    public int positions() {
      return keys.size() - 1;
    }

    /** The key that steers a message to a position. */
    public String key(int position) {
      return keys.get(position);
    }
  }

  /** One digit of a delay. */
  public record Step(Hand hand, int position) {
    public String key() {
      return hand.key(position);
    }
  }
}
