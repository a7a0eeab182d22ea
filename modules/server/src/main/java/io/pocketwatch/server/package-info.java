// SPDX-License-Identifier: Apache-2.0
/** The {@code pocketwatch} command line. A leaf, not a library: nothing may depend on it. */
@NullMarked
package io.pocketwatch.server;

import org.jspecify.annotations.NullMarked;
