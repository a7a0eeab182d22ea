// SPDX-License-Identifier: Apache-2.0
/** The databases that a run may use, and how each is made to fail. */
@NullMarked
package io.pocketwatch.lab.faults.database;

import org.jspecify.annotations.NullMarked;
