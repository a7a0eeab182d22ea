// SPDX-License-Identifier: Apache-2.0
/** What is measured: one class per suite. */
@NullMarked
package io.pocketwatch.benchmarks.suite;

import org.jspecify.annotations.NullMarked;
