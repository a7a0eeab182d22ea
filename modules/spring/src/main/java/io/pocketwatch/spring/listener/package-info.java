// SPDX-License-Identifier: Apache-2.0
/**
 * The consumer's side: listeners get the messages whose work is to be done, as they were sent, and
 * what they did is settled.
 */
@NullMarked
package io.pocketwatch.spring.listener;

import org.jspecify.annotations.NullMarked;
