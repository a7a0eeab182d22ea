// SPDX-License-Identifier: Apache-2.0
/**
 * For frameworks and containers, not for applications: planning without sending, hand-off of rows.
 */
@NullMarked
package io.pocketwatch.spi;

import org.jspecify.annotations.NullMarked;
