// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A claim that waits here to be sent.
 *
 * @param nanoTime before the lease began
 * @param lookedAt when {@link io.pocketwatch.handoff.HandOff#claimDue} has claimed it, or null
 */
record Claimed(Claim claim, Lease lease, long nanoTime, @Nullable Instant lookedAt) {
  boolean looked() {
    return lookedAt != null;
  }

  boolean sentWhenDue() {
    return claim.message().sentWhenDue();
  }

  Instant nextAt() {
    return claim.message().nextAt();
  }

  /** Whether it was late: then other rows wait behind it in the store, so it is marked at once. */
  boolean wasLate() {
    return lookedAt != null && nextAt().isBefore(lookedAt);
  }

  /** The time in nanoseconds at which that part of its lease is over. */
  long leaseOver(int part) {
    return nanoTime + lease.length().toNanos() / part;
  }

  int bodyLength() {
    return claim.message().message().body().length;
  }
}
