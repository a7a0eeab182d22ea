// SPDX-License-Identifier: Apache-2.0
/** Metrics for Micrometer, which only this package needs on the class path. */
@NullMarked
package io.pocketwatch.metrics;

import org.jspecify.annotations.NullMarked;
