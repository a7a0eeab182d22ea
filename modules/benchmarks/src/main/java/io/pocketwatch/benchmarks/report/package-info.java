// SPDX-License-Identifier: Apache-2.0
/** Results as JSON, tables, histogram logs and plots. */
@NullMarked
package io.pocketwatch.benchmarks.report;

import org.jspecify.annotations.NullMarked;
