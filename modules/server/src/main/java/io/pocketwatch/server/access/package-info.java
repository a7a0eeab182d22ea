// SPDX-License-Identifier: Apache-2.0
/** Who asks: credentials and roles, what they may see, how much at a time. */
@NullMarked
package io.pocketwatch.server.access;

import org.jspecify.annotations.NullMarked;
