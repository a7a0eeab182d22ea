// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One way of having something happen later: one of ours, or a peer's.
 *
 * <p>The harness asks it for {@link #servers} once, before anything is timed, and then opens a
 * {@link Lane} per round. One message: {@link Lane#ask} → the subject takes it durably and tells
 * the ledger ({@link Ledger#confirmed}) → it is due → it reaches its consumer, which tells the
 * ledger ({@link Ledger#arrived}).
 */
public interface Subject {

  /** A short name for tables and {@code --peers}: lower case, words joined by hyphens. */
  String name();

  /** What a confirmed message survives, in a few words, and where that is less than for others. */
  String durability();

  /**
   * The servers it needs, started if they are not.
   *
   * @throws NotHereException if this machine cannot run it; the message says what is missing
   */
  List<Server> servers(Ground ground) throws Exception;

  /** A clean lane: nothing of an earlier round is left, a consumer is waiting. Not timed. */
  Lane open(Ground ground, Ledger ledger) throws Exception;

  /** The only delay it can do, if it cannot do any. */
  default Optional<Duration> fixedDelay() {
    return Optional.empty();
  }

  /** What it rounds due instants up to; within that it is neither early nor late by fault. */
  default Duration resolution() {
    return Duration.ofMillis(1);
  }

  /** Roughly how many messages it takes per second: slow ones are given fewer. */
  default int expectedPerSecond() {
    return 10_000;
  }
}
