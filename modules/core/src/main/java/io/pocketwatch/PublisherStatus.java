// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a publisher is doing at one moment.
 *
 * @param connected whether there is a connection to publish on. The broker was heard on it within
 *     the last 23 s: our connections have a heartbeat of at most 10 s
 * @param connectionError why there is none, in the broker's words where it has some; null while
 *     there is one, and while nobody has needed one yet
 * @param blockedReason why the broker has blocked publishers, in its words (memory or disk). It is
 *     null if the broker has not told us so; it tells only connections that publish. While
 *     publishers are blocked, messages that are not stored end as {@link PublishOutcome#REJECTED}
 * @param brokerVersion the version of the broker last connected to
 * @param brokerClock the broker's clock, as the probe at the last connection showed it. It is empty
 *     until a probe has come back. None is sent with {@code topology: verify} or {@code assume}, or
 *     while nothing needs the wheel
 * @param nativeHold whether {@link DelayStrategy#DELIVERY_TIME} is used on the last connection, or
 *     why it is not
 * @param strategies what the broker and this configuration offer
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
