// SPDX-License-Identifier: Apache-2.0
/** Not API: what the packages around it share. */
@NullMarked
package io.pocketwatch.spring.internal;

import org.jspecify.annotations.NullMarked;
