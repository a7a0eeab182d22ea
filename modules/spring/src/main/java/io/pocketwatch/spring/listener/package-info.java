// SPDX-License-Identifier: Apache-2.0
/**
 * The consumer's side: listeners get only messages whose work is still to be done, as they were
 * sent, and what they did is settled.
 *
 * <p>{@code ListenerGuardPostProcessor} gives each container the channels of {@code
 * GuardedConnections}. They never deliver messages that were settled before or come at the wrong
 * time. {@code GuardAdvice} is the container's first advice and cleans messages for the others
 * ({@code ReceivedDelays}). {@code AttemptAdvice} is the last one, next to the listener, and notes
 * how each of the {@code ListenerAttempts} went.
 */
@NullMarked
package io.pocketwatch.spring.listener;

import org.jspecify.annotations.NullMarked;
