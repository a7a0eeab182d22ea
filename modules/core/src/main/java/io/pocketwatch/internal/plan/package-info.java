// SPDX-License-Identifier: Apache-2.0
/**
 * Planning without I/O: a message becomes a submission, then a row or a plan for publishing. Not
 * API.
 */
@NullMarked
package io.pocketwatch.internal.plan;

import org.jspecify.annotations.NullMarked;
