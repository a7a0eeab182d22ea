// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.store.SettlingStore;
import io.pocketwatch.store.SettlingStore.Beginning;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Of a guard that has none, and so asks none. */
final class NoStore implements SettlingStore {
  @Override
  public List<Begun> begin(List<Beginning> copies, Duration lease) {
    throw new StoreException("there is no store");
  }

  @Override
  public List<Ended> end(List<Ending> endings) {
    throw new StoreException("there is no store");
  }

  @Override
  public boolean settleIn(Object transaction, Handling handling) {
    throw new StoreException("there is no store");
  }

  @Override
  public List<Boolean> extend(List<Handling> handlings, Duration lease) {
    throw new StoreException("there is no store");
  }

  @Override
  public Instant now() {
    throw new StoreException("there is no store");
  }
}
