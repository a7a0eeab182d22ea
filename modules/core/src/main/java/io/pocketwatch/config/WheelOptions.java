// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.config;

import io.pocketwatch.internal.base.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The shape of the queue wheel. */
public final class WheelOptions {
  /** The most queues that one wheel may have; more would be a mistake in the configuration. */
  public static final int MAX_QUEUES = 2_000;

  private static final List<Duration> NATURAL_HANDS =
      List.of(
          Duration.ofDays(1), Duration.ofHours(1), Duration.ofMinutes(1), Duration.ofSeconds(1));

  private final Builder values;

  private WheelOptions(Builder builder) {
    values = builder.copy();
    List<Duration> hands = hands();
    Duration maxDelay = maxDelay();
    requireHands(hands);
    DelayLimits.requireTtl(maxDelay);
    Duration resolution = resolution();
    if (maxDelay.toMillis() % resolution.toMillis() != 0) {
      throw new IllegalArgumentException(
          "max-delay %s is not a multiple of the resolution %s"
              .formatted(DurationText.format(maxDelay), DurationText.format(resolution)));
    }
    long queueCount = countQueues(maxDelay, hands);
    if (queueCount > MAX_QUEUES) {
      throw new IllegalArgumentException(
          "max-delay %s with hands %s needs %s queues; allowed: %s"
              .formatted(DurationText.format(maxDelay), text(hands), queueCount, MAX_QUEUES));
    }
    // The widest hand's last queue can be one step above max-delay, where a broker would refuse it.
    Duration longest = hands.get(0).multipliedBy(positions(maxDelay, hands, 0));
    if (longest.compareTo(DelayLimits.MAX_TTL) > 0) {
      throw new IllegalArgumentException(
          "max-delay %s with hands %s needs a queue of %s; allowed: 3650d"
              .formatted(DurationText.format(maxDelay), text(hands), DurationText.format(longest)));
    }
  }

  /** 31 days, with hands of a day, an hour, a minute, a second and 10 ms: 271 quorum queues. */
  public static WheelOptions defaults() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  public Builder toBuilder() {
    return values.copy();
  }

  /** Those hands of a day, an hour, a minute and a second that are wider, then the resolution. */
  public static List<Duration> naturalHands(Duration resolution) {
    List<Duration> hands = new ArrayList<>(NATURAL_HANDS);
    hands.removeIf(hand -> hand.compareTo(resolution) <= 0);
    hands.add(resolution);
    return List.copyOf(hands);
  }

  public Duration maxDelay() {
    return values.maxDelay;
  }

  public List<Duration> hands() {
    return values.hands;
  }

  public HoldQueues queues() {
    return values.queues;
  }

  /** The unit of the last hand, to which delays are rounded up. */
  public Duration resolution() {
    return hands().get(hands().size() - 1);
  }

  /** The number of positions, and so of queues, of the hand with this index, 0 being the widest. */
  public int positions(int hand) {
    return Math.toIntExact(positions(maxDelay(), hands(), hand));
  }

  private static void requireHands(List<Duration> hands) {
    if (hands.isEmpty()) {
      throw new IllegalArgumentException("hands is empty; name at least the resolution");
    }
    hands.forEach(DelayLimits::requireTtl);
    for (int i = 1; i < hands.size(); i++) {
      long wider = hands.get(i - 1).toMillis();
      long unit = hands.get(i).toMillis();
      if (unit >= wider || wider % unit != 0) {
        throw new IllegalArgumentException(
            "hand %s does not divide the hand before it, %s"
                .formatted(
                    DurationText.format(hands.get(i)), DurationText.format(hands.get(i - 1))));
      }
    }
  }

  private static long countQueues(Duration maxDelay, List<Duration> hands) {
    long count = 0;
    for (int hand = 0; hand < hands.size(); hand++) {
      count += positions(maxDelay, hands, hand);
    }
    return count;
  }

  private static long positions(Duration maxDelay, List<Duration> hands, int hand) {
    long unit = hands.get(hand).toMillis();
    // One step more than max-delay: rounding an instant up to a millisecond can add that step.
    long most = maxDelay.plus(hands.get(hands.size() - 1)).toMillis();
    if (hand > 0) {
      // A longer delay turns the hand before this one.
      most = Math.min(most, hands.get(hand - 1).toMillis() - unit);
    }
    return most / unit;
  }

  private static List<String> text(List<Duration> hands) {
    return hands.stream().map(DurationText::format).toList();
  }

  /** Sets options; the others keep their defaults. Not thread-safe. */
  public static final class Builder extends CopiedBuilder<Builder> {
    private Duration maxDelay = Duration.ofDays(31);
    private List<Duration> hands = naturalHands(Duration.ofMillis(10));
    private HoldQueues queues = HoldQueues.quorum();

    private Builder() {}

    /** The longest delay of the wheel: a multiple of the resolution, at most 3650 d. */
    public Builder maxDelay(Duration maxDelay) {
      this.maxDelay = maxDelay;
      return this;
    }

    /**
     * The unit of each hand, widest first; each divides the one before. The last one is the
     * resolution: delays are rounded up to it. Fewer, wider hands mean fewer hops and more queues.
     */
    public Builder hands(List<Duration> hands) {
      this.hands = List.copyOf(hands);
      return this;
    }

    /** The type of the wheel's queues. */
    public Builder queues(HoldQueues queues) {
      this.queues = queues;
      return this;
    }

    /** Sets the {@link WheelOptions#naturalHands} of this resolution. */
    public Builder resolution(Duration resolution) {
      return hands(naturalHands(resolution));
    }

    /**
     * Makes the options.
     *
     * @throws IllegalArgumentException if hands and longest delay do not fit, or make too many
     *     queues
     */
    public WheelOptions build() {
      return new WheelOptions(this);
    }
  }
}
