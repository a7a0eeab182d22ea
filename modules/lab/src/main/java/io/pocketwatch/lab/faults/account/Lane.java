// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.account;

import io.pocketwatch.config.DelayRoute.Tracking;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * One way messages of a run take; each has a route and a target queue of its own.
 *
 * @param tracking of its route
 * @param way how it is held
 * @param target the type of the queue it arrives at
 * @param share of the messages, in parts of {@link #SHARES}
 */
public record Lane(Tracking tracking, Way way, Target target, int share) {
  /** How messages are held. */
  public enum Way {
    WHEEL,
    TTL,
    /** The wheel, and an out queue of the destination's own. */
    OUT,
    /** Few: it is not made for many. */
    TEMPORARY
  }

  /** The type of a target queue. */
  public enum Target {
    QUORUM,
    CLASSIC
  }

  /** The exchange all of them arrive at. */
  public static final String EXCHANGE = "faults";

  /** Where a target queue sends what it gives up; nothing should come here. */
  public static final String DEAD = "faults.dead";

  /** What the TTL lanes wait. */
  static final List<Duration> DELAYS =
      List.of(Duration.ofSeconds(2), Duration.ofSeconds(4), Duration.ofSeconds(7));

  public static final List<Lane> ALL =
      List.of(
          new Lane(Tracking.NONE, Way.WHEEL, Target.QUORUM, 14),
          new Lane(Tracking.NONE, Way.WHEEL, Target.CLASSIC, 12),
          new Lane(Tracking.NONE, Way.TTL, Target.QUORUM, 9),
          new Lane(Tracking.NONE, Way.TTL, Target.CLASSIC, 8),
          new Lane(Tracking.NONE, Way.OUT, Target.QUORUM, 8),
          new Lane(Tracking.NONE, Way.TEMPORARY, Target.QUORUM, 2),
          new Lane(Tracking.HANDOFF, Way.WHEEL, Target.QUORUM, 9),
          new Lane(Tracking.HANDOFF, Way.TTL, Target.CLASSIC, 8),
          new Lane(Tracking.FULL, Way.WHEEL, Target.QUORUM, 12),
          new Lane(Tracking.FULL, Way.TTL, Target.CLASSIC, 8),
          new Lane(Tracking.FULL, Way.OUT, Target.QUORUM, 8),
          new Lane(Tracking.FULL, Way.TEMPORARY, Target.QUORUM, 2));

  private static final int SHARES = ALL.stream().mapToInt(Lane::share).sum();

  static Lane random(Random random) {
    int drawn = random.nextInt(SHARES);
    for (Lane lane : ALL) {
      drawn -= lane.share;
      if (drawn < 0) {
        return lane;
      }
    }
    throw new IllegalStateException("beyond the last share");
  }

  /** Whether a guard stands before the handler, and the effect is one with the settling. */
  public boolean guarded() {
    return tracking == Tracking.FULL;
  }

  /** Also its route's name and its routing key. */
  public String name() {
    return "%s-%s-%s".formatted(tracking, way, target).toLowerCase(Locale.ROOT);
  }

  public String queue() {
    return EXCHANGE + "." + name();
  }

  /** Its entry in the configuration. */
  public String yaml() {
    String policy =
        switch (way) {
          case WHEEL -> "";
          case TTL ->
              DELAYS.stream()
                  .map(delay -> delay.toSeconds() + "s")
                  .collect(Collectors.joining(", ", "delays: [", "], "));
          case OUT -> "isolation: destination, ";
          case TEMPORARY -> "strategy: TEMPORARY_QUEUE, ";
        };
    return "    %s: {exchange: %s, routing-key: %s, %stracking: %s}%n"
        .formatted(name(), EXCHANGE, name(), policy, tracking.name().toLowerCase(Locale.ROOT));
  }
}
