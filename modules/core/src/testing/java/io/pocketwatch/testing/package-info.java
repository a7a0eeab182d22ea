// SPDX-License-Identifier: Apache-2.0
/** Time, threads and a broker that a test moves by hand. */
@NullMarked
package io.pocketwatch.testing;

import org.jspecify.annotations.NullMarked;
