// SPDX-License-Identifier: Apache-2.0
/** The delivery guard between a real broker and a real store. */
@NullMarked
package io.pocketwatch.it.guard;

import org.jspecify.annotations.NullMarked;
