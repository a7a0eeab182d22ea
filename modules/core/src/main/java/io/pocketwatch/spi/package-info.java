// SPDX-License-Identifier: Apache-2.0
/** For frameworks and containers, not for applications: planning messages without sending them. */
@NullMarked
package io.pocketwatch.spi;

import org.jspecify.annotations.NullMarked;
