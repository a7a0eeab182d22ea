// SPDX-License-Identifier: Apache-2.0
/** Recurring messages: definitions, when they recur, and what fires them. */
@NullMarked
package io.pocketwatch.schedule;

import org.jspecify.annotations.NullMarked;
