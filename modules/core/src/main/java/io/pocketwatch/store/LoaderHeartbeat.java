// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A sign of life of a loader. Instants are on the database's clock, to the millisecond.
 *
 * @param owner which one
 * @param at when; ignored on the way in, the database says when
 * @param horizon how far it has loaded
 * @param loaded how many messages it has handed over since it started
 * @param lastRun when a run or sweep of it last ended; null if none has
 * @param lease how long a message it has claimed is its own, to the millisecond; null if it did not
 *     say, which versions before 3 of the tables could not hold
 */
public record LoaderHeartbeat(
    String owner,
    Instant at,
    Instant horizon,
    long loaded,
    @Nullable Instant lastRun,
    @Nullable Duration lease) {}
