// SPDX-License-Identifier: Apache-2.0
/** Measures Pocketwatch beside its peers: the {@code bench} command. */
@NullMarked
package io.pocketwatch.benchmarks;

import org.jspecify.annotations.NullMarked;
