// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import io.pocketwatch.lab.faults.catalogue.Catalogue;
import io.pocketwatch.lab.faults.database.DatabaseSource;
import io.pocketwatch.lab.faults.driver.RoundPlan.Strike;
import java.time.Duration;
import java.util.List;

/**
 * What is to happen in a soak.
 *
 * @param sending from the first message to the last
 * @param rate messages per second
 * @param strikes earliest first
 * @param database where it comes from
 * @param brokerVersion beginning of the wanted RabbitMQ version
 * @param seed of messages and faults
 */
public record SoakPlan(
    Duration sending,
    int rate,
    List<Strike> strikes,
    DatabaseSource database,
    String brokerVersion,
    long seed) {
  private static final Duration BRIEF = Duration.ofMinutes(3);
  private static final Duration LEG = Duration.ofMinutes(1);
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(30);

  /** How long temporary queues are kept after their messages are due; the least there may be. */
  static final Duration LINGER = Duration.ofSeconds(10);

  private static final Duration RAREST_SAMPLE = Duration.ofMinutes(1);
  private static final Duration DENSEST_SAMPLE = Duration.ofSeconds(2);
  private static final Duration TIDYING = Duration.ofSeconds(5);
  private static final Duration CALM = Duration.ofSeconds(10);

  /** Whether it is so short that faults last a quarter as long. */
  boolean brief() {
    return sending.compareTo(BRIEF) < 0;
  }

  /** Its messages are judged in legs of this length. */
  Duration leg() {
    return least(LEG, sending);
  }

  Duration longestDelay() {
    return least(LONGEST_DELAY, sending.dividedBy(4));
  }

  /** From then on there are as many queues as there will be. */
  Duration steadyAfter() {
    return longestDelay().plus(LINGER).plus(TIDYING);
  }

  Duration sampleEvery() {
    Duration part = least(RAREST_SAMPLE, sending.dividedBy(60));
    return part.compareTo(DENSEST_SAMPLE) > 0 ? part : DENSEST_SAMPLE;
  }

  /** After a fault, before anything is measured. */
  Duration calm() {
    return brief() ? CALM.dividedBy(4) : CALM;
  }

  long messages() {
    return sending.toMillis() * rate / 1_000;
  }

  /** Whether a fault is among them that ends a process whose memory is compared. */
  boolean startsAnew() {
    return strikes.stream().anyMatch(strike -> !Catalogue.MILD.contains(strike.fault()));
  }

  private static Duration least(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
