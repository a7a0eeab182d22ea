// SPDX-License-Identifier: Apache-2.0
/** Delays for Spring AMQP: a {@code RabbitTemplate} that delays messages, and its transactions. */
@NullMarked
package io.pocketwatch.spring;

import org.jspecify.annotations.NullMarked;
