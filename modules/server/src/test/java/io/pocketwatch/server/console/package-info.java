// SPDX-License-Identifier: Apache-2.0
/** The page, in a real browser. */
@NullMarked
package io.pocketwatch.server.console;

import org.jspecify.annotations.NullMarked;
