// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

/**
 * The account of the tasks that went through the store: {@code scheduled} is the sum of arrived,
 * cancelled, lost and unexplained.
 *
 * @param scheduled tasks that were to be stored
 * @param arrived handled once due, at the time they had last
 * @param cancelled cancelled when a loader had claimed it already; the guard skipped the copy that
 *     was sent
 * @param moved of the arrived or lost, those that were given another time on the way
 * @param lost neither cancelled nor arrived
 * @param early handled before their time
 * @param duplicates handled more than once
 * @param unexplained handled although cancelled, or at a time they no longer had
 */
record StoreCounts(
    int scheduled,
    int arrived,
    int cancelled,
    int moved,
    int lost,
    int early,
    int duplicates,
    int unexplained) {
  /** Whether nothing was lost, early, handled twice or unexplained. */
  boolean sound() {
    return lost == 0 && early == 0 && duplicates == 0 && unexplained == 0;
  }
}
