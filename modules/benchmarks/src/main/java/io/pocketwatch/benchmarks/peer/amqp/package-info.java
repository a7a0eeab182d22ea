// SPDX-License-Identifier: Apache-2.0
/** Other ways to delay on a RabbitMQ. */
@NullMarked
package io.pocketwatch.benchmarks.peer.amqp;

import org.jspecify.annotations.NullMarked;
