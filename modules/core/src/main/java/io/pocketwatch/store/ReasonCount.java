// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Messages that were given up, or failed, for the same reason.
 *
 * @param route the route
 * @param state {@code PARKED} or {@code FAILED}
 * @param reason as stored
 * @param count how many
 * @param earliest the first of their instants
 * @param latest the last of them
 */
public record ReasonCount(
    String route,
    MessageState state,
    @Nullable String reason,
    long count,
    Instant earliest,
    Instant latest) {}
