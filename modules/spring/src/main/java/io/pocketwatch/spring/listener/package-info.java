// SPDX-License-Identifier: Apache-2.0
/**
 * The consumer's side: listeners get the messages whose work is to be done, as they were sent, and
 * what they did is settled.
 *
 * <p>{@code ListenerGuardPostProcessor} sees each container. It gives it the channels of {@code
 * GuardedConnections}, which never deliver what was settled or came at the wrong time. {@code
 * GuardAdvice} is the first of its advices and cleans what the others get ({@code ReceivedDelays}).
 * {@code AttemptAdvice} is the last one, next to the listener, and notes how each of the {@code
 * ListenerAttempts} went.
 */
@NullMarked
package io.pocketwatch.spring.listener;

import org.jspecify.annotations.NullMarked;
