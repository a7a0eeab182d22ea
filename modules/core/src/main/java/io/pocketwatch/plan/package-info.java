// SPDX-License-Identifier: Apache-2.0
/** From a message to what is published where: the pure plan under every publisher. No I/O. */
@NullMarked
package io.pocketwatch.plan;

import org.jspecify.annotations.NullMarked;
