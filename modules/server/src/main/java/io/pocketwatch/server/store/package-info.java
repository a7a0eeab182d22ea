// SPDX-License-Identifier: Apache-2.0
/** Stored messages and schedules: what commands share with REST. */
@NullMarked
package io.pocketwatch.server.store;

import org.jspecify.annotations.NullMarked;
