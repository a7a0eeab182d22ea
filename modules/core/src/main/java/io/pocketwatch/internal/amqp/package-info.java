// SPDX-License-Identifier: Apache-2.0
/** Connections, channels and confirms, on top of the RabbitMQ client. Not API. */
@NullMarked
package io.pocketwatch.internal.amqp;

import org.jspecify.annotations.NullMarked;
