// SPDX-License-Identifier: Apache-2.0
/** Metrics for Micrometer: a listener that counts events, and gauges that ask the store. */
@NullMarked
package io.pocketwatch.tracking.metrics;

import org.jspecify.annotations.NullMarked;
