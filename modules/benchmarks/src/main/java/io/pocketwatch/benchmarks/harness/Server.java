// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

import java.time.Duration;
import java.util.Optional;

/** A server that subjects lean on; started by the harness, and its own. */
public interface Server extends AutoCloseable {

  /** Product, version, and what of its configuration matters to the figures. */
  String describe();

  /** Memory its processes occupy, in bytes; 0 where it runs inside this JVM. */
  long residentBytes();

  /** Processor time its processes have used so far; zero where it runs inside this JVM. */
  Duration cpuTime();

  /**
   * Stops it in order and starts it again with the data it has.
   *
   * @return how long until it took connections again; nothing if this server is never restarted
   */
  default Optional<Duration> restart() {
    return Optional.empty();
  }

  /** Ends it; a folder it has of the ground is left to the ground. */
  @Override
  void close();
}
