// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Instant;

/**
 * How far a consumer of a route has come. The store may know it a batch late, and never early.
 *
 * @param consumer its name: that of its queue, if it gave no other
 * @param lastSettledAt when it last settled something of the route
 * @param settledDueUpTo the latest {@code deliverAt} of what it settled
 */
public record ConsumerProgress(String consumer, Instant lastSettledAt, Instant settledDueUpTo) {}
