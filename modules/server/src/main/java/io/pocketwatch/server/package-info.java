// SPDX-License-Identifier: Apache-2.0
/** The {@code pocketwatch} command line. It is a program, not a library: only the lab uses it. */
@NullMarked
package io.pocketwatch.server;

import org.jspecify.annotations.NullMarked;
