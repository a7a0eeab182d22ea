// SPDX-License-Identifier: Apache-2.0
/** What a running system uses, again and again, and whether it grows. */
@NullMarked
package io.pocketwatch.lab.faults.level;

import org.jspecify.annotations.NullMarked;
