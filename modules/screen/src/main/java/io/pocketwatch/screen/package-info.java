// SPDX-License-Identifier: Apache-2.0
/** What commands share in talking to a person or a script: words, tables, exit codes. */
@NullMarked
package io.pocketwatch.screen;

import org.jspecify.annotations.NullMarked;
