// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

/**
 * What one trial asks for.
 *
 * @param messages how many
 * @param perSecond at which pace, evenly; 0 for as fast as the subject takes them
 * @param threads how many threads ask
 * @param due when they are due
 * @param awaited whether the trial lasts until they have arrived
 */
public record Plan(int messages, int perSecond, int threads, Due due, boolean awaited) {

  /** As fast as four threads can, as far as the subject allows. */
  public static Plan atFullSpeed(int messages, Due due, boolean awaited) {
    return new Plan(messages, 0, 4, due, awaited);
  }

  /** Evenly spread, whatever the subject does: asks that wait do not slow the ones after them. */
  public static Plan atRate(int perSecond, int seconds, Due due) {
    return new Plan(perSecond * seconds, perSecond, perSecond > 2_000 ? 4 : 2, due, true);
  }
}
