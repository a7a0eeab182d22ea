// SPDX-License-Identifier: Apache-2.0
/** For loaders and frameworks: hand-off of rows, what is stored, holding messages again. */
@NullMarked
package io.pocketwatch.handoff;

import org.jspecify.annotations.NullMarked;
