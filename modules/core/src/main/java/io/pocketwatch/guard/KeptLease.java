// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.store.Handling;
import org.jspecify.annotations.Nullable;

/** Keeps the lease of a handling from running out until closed. */
public final class KeptLease implements AutoCloseable {
  private final Leases leases;
  private final @Nullable Handling handling;

  KeptLease(Leases leases, @Nullable Handling handling) {
    this.leases = leases;
    this.handling = handling;
  }

  /** Renews no more; what is left of the lease runs out. */
  @Override
  public void close() {
    leases.keepNoLonger(handling);
  }
}
