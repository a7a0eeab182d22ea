// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import io.pocketwatch.internal.base.CallbackThread;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.spi.Planning;
import java.util.function.Supplier;

/**
 * What a publisher with a store is built on.
 *
 * @param planner the planner for the broker as it is known now
 * @param callbacks ends all futures, so that one that waits for another cannot happen
 */
public record PublisherParts(
    Planning planning, Supplier<DelayPlanner> planner, CallbackThread callbacks) {}
