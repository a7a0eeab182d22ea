// SPDX-License-Identifier: Apache-2.0
/** Schedulers that poll a table. */
@NullMarked
package io.pocketwatch.benchmarks.peer.sql;

import org.jspecify.annotations.NullMarked;
