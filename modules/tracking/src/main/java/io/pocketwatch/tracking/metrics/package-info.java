// SPDX-License-Identifier: Apache-2.0
/** A listener that feeds Micrometer, and gauges of what only the store can be asked. */
@NullMarked
package io.pocketwatch.tracking.metrics;

import org.jspecify.annotations.NullMarked;
