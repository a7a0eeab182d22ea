// SPDX-License-Identifier: Apache-2.0
/** What REST, the page and the commands show, in the same fields and words. */
@NullMarked
package io.pocketwatch.server.view;

import org.jspecify.annotations.NullMarked;
