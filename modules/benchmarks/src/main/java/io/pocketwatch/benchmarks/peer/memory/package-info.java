// SPDX-License-Identifier: Apache-2.0
/** Delays in the memory of one process. */
@NullMarked
package io.pocketwatch.benchmarks.peer.memory;

import org.jspecify.annotations.NullMarked;
