// SPDX-License-Identifier: Apache-2.0
/** Tests of the ledger over faults. */
@NullMarked
package io.pocketwatch.lab.faults;

import org.jspecify.annotations.NullMarked;
