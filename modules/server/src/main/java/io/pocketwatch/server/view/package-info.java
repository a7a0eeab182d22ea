// SPDX-License-Identifier: Apache-2.0
/** The views that REST, the console and the commands share: the same fields and words. */
@NullMarked
package io.pocketwatch.server.view;

import org.jspecify.annotations.NullMarked;
