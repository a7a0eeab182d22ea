// SPDX-License-Identifier: Apache-2.0
/** The publisher with a store, and its metrics. */
@NullMarked
package io.pocketwatch.tracking;

import org.jspecify.annotations.NullMarked;
