// SPDX-License-Identifier: Apache-2.0
/** Commands about stored messages and schedules, and what they share with REST. */
@NullMarked
package io.pocketwatch.server.store;

import org.jspecify.annotations.NullMarked;
