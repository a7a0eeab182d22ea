// SPDX-License-Identifier: Apache-2.0
/** Other brokers that delay by themselves. */
@NullMarked
package io.pocketwatch.benchmarks.peer.broker;

import org.jspecify.annotations.NullMarked;
