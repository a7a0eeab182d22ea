// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Instant;

/**
 * Which rows to claim: {@code PENDING}, of one route, due up to the horizon, not leased, earliest
 * first. There is no lower bound: whatever an outage left behind comes first.
 *
 * @param route the route's name
 * @param horizon rows due later stay
 * @param maxRows at most so many, 1 to 10,000
 * @param maxBytes stop before the bodies exceed this; a single larger row is still claimed
 * @param lease for whom and how long
 */
public record ClaimRequest(
    String route, Instant horizon, int maxRows, long maxBytes, Lease lease) {}
