// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import io.pocketwatch.internal.topology.Destination;
import io.pocketwatch.internal.topology.TemporaryQueue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a message is published and what steers it from there.
 *
 * @param destinations where it is released to, which must exist and be bound: one, or each queue it
 *     names at the default exchange
 * @param steering keys of ours, in the order of the exchanges they are for
 * @param delayedFor the {@code x-delay} in ms, or null for none
 * @param expiresAfter the expiration in ms of a message that carries its own instant, or null
 * @param temporaryQueue must be declared before publishing, or null
 */
public record HoldPath(
    String exchange,
    String routingKey,
    List<Destination> destinations,
    List<String> steering,
    @Nullable Long delayedFor,
    @Nullable Long expiresAfter,
    @Nullable TemporaryQueue temporaryQueue) {}
