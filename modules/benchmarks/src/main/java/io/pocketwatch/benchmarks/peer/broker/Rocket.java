// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.broker;

import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.Lane;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Server;
import io.pocketwatch.benchmarks.harness.Subject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.rocketmq.common.message.Message;

/** RocketMQ 5 with one of its two ways to delay. */
final class Rocket implements Subject {
  private static final Duration DEFAULT_PRECISION = Duration.ofSeconds(1);

  /**
   * The second of the levels a broker has unless told otherwise: 1 s, 5 s, 10 s, 30 s and so on.
   */
  private static final int LEVEL = 2;

  private static final Duration DELAY_OF_LEVEL = Duration.ofSeconds(5);

  private final String name;
  private final Duration precision;
  private final Optional<Duration> fixedDelay;
  private final RocketDelay delay;

  private Rocket(
      String name, Duration precision, Optional<Duration> fixedDelay, RocketDelay delay) {
    this.name = name;
    this.precision = precision;
    this.fixedDelay = fixedDelay;
    this.delay = delay;
  }

  /** Any delay, to the second. */
  static Rocket timer() {
    return new Rocket(
        "rocketmq-timer", DEFAULT_PRECISION, Optional.empty(), Message::setDeliverTimeMs);
  }

  /** Any delay, with the broker's precision set to less than its default. */
  static Rocket timer(Duration precision) {
    return new Rocket(
        "rocketmq-timer-" + precision.toMillis() + "ms",
        precision,
        Optional.empty(),
        Message::setDeliverTimeMs);
  }

  /** One of the fixed delays. */
  static Rocket levels() {
    return new Rocket(
        "rocketmq-levels",
        DEFAULT_PRECISION,
        Optional.of(DELAY_OF_LEVEL),
        (message, dueMillis) -> message.setDelayTimeLevel(LEVEL));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String durability() {
    return "a crash of the broker or its machine (SYNC_FLUSH), not of its disk";
  }

  @Override
  public List<Server> servers(Ground ground) throws Exception {
    return List.of(RocketServer.shared(ground, precision));
  }

  @Override
  public Lane open(Ground ground, Ledger ledger) throws Exception {
    return RocketLane.open(RocketServer.shared(ground, precision).address(), delay, ledger);
  }

  @Override
  public Optional<Duration> fixedDelay() {
    return fixedDelay;
  }

  @Override
  public Duration resolution() {
    return fixedDelay.isPresent() ? Duration.ofMillis(1) : precision;
  }
}
