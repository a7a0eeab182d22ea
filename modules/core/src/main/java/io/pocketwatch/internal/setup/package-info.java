// SPDX-License-Identifier: Apache-2.0
/** Declares, probes and looks after what the topology describes. Not API. */
@NullMarked
package io.pocketwatch.internal.setup;

import org.jspecify.annotations.NullMarked;
