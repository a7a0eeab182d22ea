// SPDX-License-Identifier: Apache-2.0
/** Tests that need more than one module: the arrows between them, contracts and faults. */
@NullMarked
package io.pocketwatch.it;

import org.jspecify.annotations.NullMarked;
