// SPDX-License-Identifier: Apache-2.0
/**
 * Pure: a message becomes an accepted submission, then a row or a plan of what is published where.
 * Not API.
 */
@NullMarked
package io.pocketwatch.internal.plan;

import org.jspecify.annotations.NullMarked;
