// SPDX-License-Identifier: Apache-2.0
/**
 * What a client asks for, read strictly: bodies, fields, parameters, new messages and schedules.
 */
@NullMarked
package io.pocketwatch.server.request;

import org.jspecify.annotations.NullMarked;
