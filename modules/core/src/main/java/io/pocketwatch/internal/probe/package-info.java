// SPDX-License-Identifier: Apache-2.0
/** Finds out by test messages what AMQP does not show of a broker. */
@NullMarked
package io.pocketwatch.internal.probe;

import org.jspecify.annotations.NullMarked;
