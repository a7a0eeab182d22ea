// SPDX-License-Identifier: Apache-2.0
/**
 * The consumer's side: decides for each copy that arrives whether its work is to be done, and
 * settles it when it is done.
 */
@NullMarked
package io.pocketwatch.guard;

import org.jspecify.annotations.NullMarked;
