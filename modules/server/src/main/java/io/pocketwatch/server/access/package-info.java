// SPDX-License-Identifier: Apache-2.0
/** Callers: their credentials and roles, the routes they may see, and their limits. */
@NullMarked
package io.pocketwatch.server.access;

import org.jspecify.annotations.NullMarked;
