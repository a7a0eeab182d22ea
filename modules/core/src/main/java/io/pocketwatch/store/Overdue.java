// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The overdue rows of a route, and what that route's consumers have done.
 *
 * @param route the route
 * @param count {@code HELD} and {@code FULL} rows past their instant that no consumer has begun
 * @param oldest the earliest of their instants
 * @param lastSettledAt when anything of the route was last settled, or null
 * @param settledDueUpTo the latest {@code deliverAt} each consumer of the route has reached: the
 *     smallest over its consumers, or null if nothing was ever settled. Overdue rows before it were
 *     overtaken.
 */
public record Overdue(
    String route,
    long count,
    Instant oldest,
    @Nullable Instant lastSettledAt,
    @Nullable Instant settledDueUpTo) {}
