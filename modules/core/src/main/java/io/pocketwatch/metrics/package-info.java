// SPDX-License-Identifier: Apache-2.0
/** Metrics for Micrometer, which is needed on the class path only by those who use this package. */
@NullMarked
package io.pocketwatch.metrics;

import org.jspecify.annotations.NullMarked;
