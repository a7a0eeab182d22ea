// SPDX-License-Identifier: Apache-2.0
/** Group commit: what comes while a batch is written makes the next one. */
@NullMarked
package io.pocketwatch.internal.batch;

import org.jspecify.annotations.NullMarked;
