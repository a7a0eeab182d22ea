// SPDX-License-Identifier: Apache-2.0
/** Our own strategies, and undelayed publishing as their limit. */
@NullMarked
package io.pocketwatch.benchmarks.subject;

import org.jspecify.annotations.NullMarked;
