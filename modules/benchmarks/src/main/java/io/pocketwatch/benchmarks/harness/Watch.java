// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

/** Shows a person how far a run is. */
public interface Watch {

  /** A line of news. */
  void say(String news);

  /** Follows one trial. */
  Line line(String subject, Plan plan, Ledger ledger);

  /** One trial as it goes on; closing it ends the line. */
  interface Line extends AutoCloseable {
    /** Called often. */
    void show(String what, long now, long goal);

    @Override
    void close();
  }
}
