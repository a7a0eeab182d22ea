// SPDX-License-Identifier: Apache-2.0
/** A ledger over tracked messages while processes, broker and database are killed. */
@NullMarked
package io.pocketwatch.server.faults;

import org.jspecify.annotations.NullMarked;
