// SPDX-License-Identifier: Apache-2.0
/** The faults: what can be done to a running system, and what puts it right again. */
@NullMarked
package io.pocketwatch.lab.faults.catalogue;

import org.jspecify.annotations.NullMarked;
