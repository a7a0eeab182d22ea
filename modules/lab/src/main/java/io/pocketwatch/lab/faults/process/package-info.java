// SPDX-License-Identifier: Apache-2.0
/** The processes that a run starts, kills and starts again: publisher, loader, consumer. */
@NullMarked
package io.pocketwatch.lab.faults.process;

import org.jspecify.annotations.NullMarked;
