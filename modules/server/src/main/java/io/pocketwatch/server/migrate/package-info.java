// SPDX-License-Identifier: Apache-2.0
/** Recreates exchanges that the delayed-message plugin left behind. */
@NullMarked
package io.pocketwatch.server.migrate;

import org.jspecify.annotations.NullMarked;
