// SPDX-License-Identifier: Apache-2.0
/** The console: a page in the browser. */
@NullMarked
package io.pocketwatch.server.console;

import org.jspecify.annotations.NullMarked;
