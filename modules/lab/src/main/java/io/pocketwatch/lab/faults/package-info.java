// SPDX-License-Identifier: Apache-2.0
/**
 * The command {@code faults}: a ledger over messages while things are killed and broken. {@code
 * catalogue} says what can be done, {@code driver} does it, {@code account} judges by the guarantee
 * table, {@code report} tells.
 */
@NullMarked
package io.pocketwatch.lab.faults;

import org.jspecify.annotations.NullMarked;
