// SPDX-License-Identifier: Apache-2.0
/** Output that commands share, for people and scripts: lines, tables, progress, exit codes. */
@NullMarked
package io.pocketwatch.screen;

import org.jspecify.annotations.NullMarked;
