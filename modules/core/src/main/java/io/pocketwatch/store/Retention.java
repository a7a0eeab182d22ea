// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Duration;

/**
 * When a finished row becomes history: the longer of keep and grace after the later of two
 * instants, when it was finished and until when a copy may be held. {@code HANDOFF} rows are
 * finished when they are due and past the grace.
 *
 * @param keep how long finished rows stay, as tombstones that recognise copies which come late, for
 *     example out of a backlog
 * @param grace how much later than planned a copy may arrive
 */
public record Retention(Duration keep, Duration grace) {}
