// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When a finished row becomes history: when it has been finished for as long as it is kept, and the
 * instant until which a copy may be held is the longer of keep and grace ago. {@code HANDOFF} rows
 * are finished when they are due and past the grace.
 *
 * @param keep how long finished rows stay, as tombstones that recognise copies which come late, for
 *     example out of a backlog
 * @param grace how much later than planned a copy may arrive
 * @param history how long a row stays in the history, or null for ever
 */
public record Retention(Duration keep, Duration grace, @Nullable Duration history) {
  /** With a history that is never emptied. */
  public Retention(Duration keep, Duration grace) {
    this(keep, grace, null);
  }
}
