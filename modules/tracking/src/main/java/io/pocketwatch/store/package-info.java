// SPDX-License-Identifier: Apache-2.0
/**
 * Messages kept in a database: what a row is, how it changes, and the contract a store must keep.
 *
 * <p>A message is {@link io.pocketwatch.store.SchedulingStore#insert inserted} as {@code PENDING}.
 * A loader, or the publisher that inserted it, {@link io.pocketwatch.store.LoadingStore#claim
 * claims} it, sends it when it is due, and marks it {@code HELD}. With {@code HANDOFF} the broker
 * gets it before that. When it arrives, the delivery guard {@link
 * io.pocketwatch.store.SettlingStore#begin begins} and {@link
 * io.pocketwatch.store.SettlingStore#end ends} its handling. Every change is one conditional
 * statement that says whether it applied. A "no" is an expected answer.
 */
@NullMarked
package io.pocketwatch.store;

import org.jspecify.annotations.NullMarked;
