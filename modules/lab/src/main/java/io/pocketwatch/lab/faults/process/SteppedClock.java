// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.process;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** The clock of a machine that somebody sets while it runs. Thread-safe. */
final class SteppedClock implements InstantSource {
  private Duration off = Duration.ZERO;

  synchronized void step(Duration by) {
    off = off.plus(by);
  }

  @Override
  public synchronized Instant instant() {
    return InstantSource.system().instant().plus(off);
  }
}
