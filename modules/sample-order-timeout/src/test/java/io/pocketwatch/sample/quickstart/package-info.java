// SPDX-License-Identifier: Apache-2.0
/** The program of the page quickstart.md, word for word. */
@NullMarked
package io.pocketwatch.sample.quickstart;

import org.jspecify.annotations.NullMarked;
