// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.route;

import java.util.Locale;

/** The queue type held messages wait in; always sent explicitly, never left to the broker. */
public enum HoldQueueType {
  /** Replicated, dead-letters at least once. The default. */
  QUORUM,

  /**
   * Memory stays flat at any backlog, but dead-lettering is at most once: what falls due while a
   * quorum target has no leader, a restart included, is lost.
   */
  CLASSIC;

  /** The value of {@code x-queue-type}. */
  public String argument() {
    return name().toLowerCase(Locale.ROOT);
  }
}
