// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch;

/**
 * An event for a listener: a {@link PublisherEvent}, or of the module pocketwatch-tracking a {@code
 * io.pocketwatch.store.StoreEvent} or {@code io.pocketwatch.guard.ConsumerEvent}. Later versions
 * may add kinds and events, so ignore unknown ones.
 */
public interface PocketwatchEvent {}
