// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

/**
 * Hears in plain words what is tried, what did not work and what is used. It is called on the
 * thread that asked for the broker. For the nodes of a cluster the threads that start them call it
 * too, one at a time.
 */
@FunctionalInterface
public interface LadderListener {

  /** Takes one line of text, without a line break. */
  void report(String words);

  /** Tells nobody. */
  static LadderListener silent() {
    return words -> {};
  }
}
