// SPDX-License-Identifier: Apache-2.0
/**
 * Declarations written for the delayed-message plugin, on brokers with and without it. {@link
 * io.pocketwatch.spring.declare.DelayedRabbitAdmin} in place of a {@code RabbitAdmin} serves every
 * way to declare.
 */
@NullMarked
package io.pocketwatch.spring.declare;

import org.jspecify.annotations.NullMarked;
