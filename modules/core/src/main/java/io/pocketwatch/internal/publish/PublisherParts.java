// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import io.pocketwatch.internal.base.CallbackThread;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.spi.Planning;
import java.util.function.Supplier;

/**
 * The parts on which a publisher with a store is built.
 *
 * @param planner gives the planner for the broker as it is known now
 * @param callbacks completes all futures of both, so that neither waits for the other
 */
public record PublisherParts(
    Planning planning, Supplier<DelayPlanner> planner, CallbackThread callbacks) {}
