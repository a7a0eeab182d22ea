// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

import java.time.Duration;

/** A server that subjects lean on; started by the harness, and its own. */
public interface Server extends AutoCloseable {

  /** Product, version, and what of its configuration matters to the figures. */
  String describe();

  /** Memory its processes occupy, in bytes; 0 where it runs inside this JVM. */
  long residentBytes();

  /** Processor time its processes have used so far; zero where it runs inside this JVM. */
  Duration cpuTime();

  /** Ends it and deletes what it left behind. */
  @Override
  void close();
}
