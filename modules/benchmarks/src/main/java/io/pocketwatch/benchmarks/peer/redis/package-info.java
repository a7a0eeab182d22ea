// SPDX-License-Identifier: Apache-2.0
/** Delays in Redis. */
@NullMarked
package io.pocketwatch.benchmarks.peer.redis;

import org.jspecify.annotations.NullMarked;
