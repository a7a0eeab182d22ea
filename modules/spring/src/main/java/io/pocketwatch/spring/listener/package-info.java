// SPDX-License-Identifier: Apache-2.0
/**
 * The consumer's side: listeners get the messages whose work is to be done, as they were sent, and
 * what they did is settled.
 *
 * <p>A container first calls {@code GuardAdvice}, which asks {@code Desk.take}. That has an {@code
 * Intake} decide about each message, and makes of those to be handled a {@code Turn}. The user's
 * advices and the listener get that, and it settles or fails what they did: each delivery is an
 * {@code InHand}. Where the listener acknowledges, {@code ManualChannel} does so.
 */
@NullMarked
package io.pocketwatch.spring.listener;

import org.jspecify.annotations.NullMarked;
