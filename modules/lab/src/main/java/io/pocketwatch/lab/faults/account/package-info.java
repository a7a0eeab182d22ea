// SPDX-License-Identifier: Apache-2.0
/** What was promised for each message of a round, and what became of it. */
@NullMarked
package io.pocketwatch.lab.faults.account;

import org.jspecify.annotations.NullMarked;
