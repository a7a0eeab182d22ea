// SPDX-License-Identifier: Apache-2.0
/** The {@code pocketwatch} command line. A program, not a library: only the lab builds on it. */
@NullMarked
package io.pocketwatch.server;

import org.jspecify.annotations.NullMarked;
