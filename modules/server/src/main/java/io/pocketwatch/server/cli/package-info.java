// SPDX-License-Identifier: Apache-2.0
/** The commands: their options, what they write for people, and their exit codes. */
@NullMarked
package io.pocketwatch.server.cli;

import org.jspecify.annotations.NullMarked;
