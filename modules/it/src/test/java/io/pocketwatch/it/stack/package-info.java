// SPDX-License-Identifier: Apache-2.0
/** The folder {@code docker/}: what it says fits together, and the stack in it runs. */
@NullMarked
package io.pocketwatch.it.stack;

import org.jspecify.annotations.NullMarked;
