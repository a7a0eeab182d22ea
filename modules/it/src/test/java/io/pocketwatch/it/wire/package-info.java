// SPDX-License-Identifier: Apache-2.0
/**
 * The wire format of {@code modules/docs/reference/wire-format.md}, ridden by clients of other
 * languages.
 */
@NullMarked
package io.pocketwatch.it.wire;

import org.jspecify.annotations.NullMarked;
