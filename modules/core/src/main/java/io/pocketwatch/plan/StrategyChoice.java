// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.plan;

import io.pocketwatch.DelayStrategy;

/** A strategy and the words for the receipt. */
record StrategyChoice(DelayStrategy strategy, String reason) {}
