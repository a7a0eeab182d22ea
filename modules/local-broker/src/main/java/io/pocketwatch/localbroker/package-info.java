// SPDX-License-Identifier: Apache-2.0
/** Finds a running RabbitMQ or starts a private one, on this machine, for tests and demos. */
@NullMarked
package io.pocketwatch.localbroker;

import org.jspecify.annotations.NullMarked;
