// SPDX-License-Identifier: Apache-2.0
/** Strict readers of requests: bodies, fields, parameters, new messages and schedules. */
@NullMarked
package io.pocketwatch.server.request;

import org.jspecify.annotations.NullMarked;
