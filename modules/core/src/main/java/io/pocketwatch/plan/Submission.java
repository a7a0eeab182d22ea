// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.plan;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.route.DelayRoute;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One publish call with everything that must not change if it is tried again: id, route, instant.
 *
 * @param delay the delay asked for, or null if an instant was
 * @param deliverAt the instant, in whole milliseconds, rounded up
 */
public record Submission(
    DelayedMessage message,
    String id,
    DelayRoute route,
    @Nullable Duration delay,
    Instant deliverAt) {}
