// SPDX-License-Identifier: Apache-2.0
/** Not API: connections, confirms, declarations. */
@NullMarked
package io.pocketwatch.internal;

import org.jspecify.annotations.NullMarked;
