// SPDX-License-Identifier: Apache-2.0
/** Tests of the package of the same name. */
@NullMarked
package io.pocketwatch.lab.faults.process;

import org.jspecify.annotations.NullMarked;
