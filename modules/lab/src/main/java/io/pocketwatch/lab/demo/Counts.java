// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

/**
 * The account of a number of messages: {@code scheduled} is the sum of delivered, cancelled,
 * unconfirmed, lost and unexplained, as defined in {@link Fate}.
 *
 * @param early messages that arrived before they were due
 * @param duplicates arrivals beyond the first of a message
 */
record Counts(
    int scheduled,
    int delivered,
    int cancelled,
    int unconfirmed,
    int lost,
    int early,
    int duplicates,
    int unexplained,
    Lateness latenessMs) {

  /** Whether everything was taken, and nothing was lost, early or unexplained. */
  boolean sound() {
    return unconfirmed == 0 && lost == 0 && early == 0 && unexplained == 0;
  }
}
