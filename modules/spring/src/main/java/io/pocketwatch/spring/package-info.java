// SPDX-License-Identifier: Apache-2.0
/** Delays for Spring AMQP: a {@code RabbitTemplate} that holds messages, and its wiring. */
@NullMarked
package io.pocketwatch.spring;

import org.jspecify.annotations.NullMarked;
