// SPDX-License-Identifier: Apache-2.0
/**
 * What becomes of tracked messages when consumers stop, disks are lost and callers change their
 * minds, in numbers.
 */
@NullMarked
package io.pocketwatch.it.recovery;

import org.jspecify.annotations.NullMarked;
