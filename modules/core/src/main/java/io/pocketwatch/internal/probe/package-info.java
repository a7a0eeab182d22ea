// SPDX-License-Identifier: Apache-2.0
/** Asks a broker over AMQP for what AMQP does not show. */
@NullMarked
package io.pocketwatch.internal.probe;

import org.jspecify.annotations.NullMarked;
