// SPDX-License-Identifier: Apache-2.0
/** Not API: shared by the packages around it. */
@NullMarked
package io.pocketwatch.spring.internal;

import org.jspecify.annotations.NullMarked;
