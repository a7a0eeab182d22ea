// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of a publisher at one moment.
 *
 * @param connected whether there is a connection to publish on. The broker was heard on it within
 *     the last 23 s, since the publisher's heartbeat is at most 10 s
 * @param connectionError why there is no connection, in the broker's words where it gave a reason.
 *     It is null while connected, and while no connection was needed yet
 * @param blockedReason why the broker has blocked publishers, in its words (memory or disk). It is
 *     null if the broker has not said so; it notifies only connections that publish. While
 *     publishers are blocked, messages that are not stored end as {@link PublishOutcome#REJECTED}
 * @param brokerVersion the version of the broker last connected to
 * @param brokerClock the broker's clock, as the probe at the last connection showed it. It is empty
 *     until a probe has come back. No probe is sent with {@code topology: verify} or {@code
 *     assume}, or while nothing needs the wheel
 * @param nativeHold whether {@link DelayStrategy#DELIVERY_TIME} is used on the last connection, or
 *     why it is not
 * @param strategies the strategies that the broker and this configuration offer
 */
public record PublisherStatus(
    boolean connected,
    @Nullable String connectionError,
    @Nullable String blockedReason,
    String brokerVersion,
    Optional<BrokerClock> brokerClock,
    NativeHold nativeHold,
    Set<DelayStrategy> strategies) {
  public PublisherStatus {
    strategies = Set.copyOf(strategies);
  }
}
