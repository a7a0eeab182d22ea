// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Duration;

/**
 * When a finished row becomes history: after the later of finished + keep, and the time its last
 * copy can still arrive. {@code HANDOFF} rows are finished when they are due and past the grace.
 *
 * @param keep how long finished rows stay, as tombstones that recognise late copies
 * @param grace how much later than planned a copy may arrive
 */
public record Retention(Duration keep, Duration grace) {}
