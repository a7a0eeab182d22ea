// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/**
 * Something that happened. The kinds are sealed: {@link PublisherEvent} here, and {@code
 * io.pocketwatch.store.StoreEvent} and {@code io.pocketwatch.guard.ConsumerEvent} in the module
 * pocketwatch-tracking. Later versions may add kinds and events, so ignore what you do not know.
 */
public interface PocketwatchEvent {}
