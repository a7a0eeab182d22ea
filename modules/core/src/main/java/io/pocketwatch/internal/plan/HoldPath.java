// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.plan;

import io.pocketwatch.internal.topology.Destination;
import io.pocketwatch.internal.topology.TemporaryQueue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The path of a message: where it is published, and the keys that steer it from there.
 *
 * @param destinations its targets, which must exist and be bound: one, or at the default exchange
 *     each queue it names
 * @param steering our keys, in the order of the exchanges they are for
 * @param delayedFor the {@code x-delay} in ms, or null for none
 * @param expiresAfter the expiration in ms of a message held by delivery time, or null
 * @param temporaryQueue the queue to declare before publishing, or null
 */
public record HoldPath(
    String exchange,
    String routingKey,
    List<Destination> destinations,
    List<String> steering,
    @Nullable Long delayedFor,
    @Nullable Long expiresAfter,
    @Nullable TemporaryQueue temporaryQueue) {}
