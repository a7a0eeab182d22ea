// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store;

import java.time.Instant;

/**
 * A durable store of delayed messages. Thread-safe. Instants are on the store's own clock, in whole
 * milliseconds; see {@link #now}.
 *
 * <p>Every method is one transaction and every change one conditional statement, so any number of
 * processes may use the same store. Where a method returns whether it applied, false means that
 * someone else came first, and is not an error. All methods throw {@link StoreException} if the
 * store cannot be asked.
 */
public interface DelayStore
    extends SchedulingStore,
        LoadingStore,
        SettlingStore,
        OverviewStore,
        ScheduleStore,
        AutoCloseable {
  /** The store's clock. */
  Instant now();

  /** For people: what store this is, and where; without a password. */
  String describe();

  @Override
  void close();
}
