// SPDX-License-Identifier: Apache-2.0
/** Clients that mean harm, against a server in a process of its own. */
@NullMarked
package io.pocketwatch.server.attack;

import org.jspecify.annotations.NullMarked;
