// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import io.pocketwatch.lab.faults.account.Account;
import io.pocketwatch.lab.faults.account.Ledger;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/** Tells when all messages of a ledger are settled, or no more of them will be. For one thread. */
final class Settling {
  /** Without any change meanwhile; longer than a recovery by the store takes. */
  private static final Duration PATIENCE = Duration.ofSeconds(75);

  /** Where only messages are missing that may be lost: as long as a broker tries again. */
  private static final Duration PATIENCE_WITH_THE_LOST = Duration.ofSeconds(15);

  private final Ledger ledger;
  private final Instant end;
  private Instant changed;
  private int lastOpen;

  /**
   * @param end the last instant
   */
  Settling(Ledger ledger, Instant end) {
    this.ledger = ledger;
    this.end = end;
    this.changed = end;
    this.lastOpen = ledger.messages();
  }

  /**
   * Whether it is over.
   *
   * @param disturbed whether a fault lasts, or is to come
   * @param account asked only when messages are missing
   */
  boolean over(boolean disturbed, Supplier<Account> account) {
    Instant now = Instant.now();
    int left = ledger.open();
    if (left != lastOpen && now.isAfter(changed)) {
      changed = now;
    }
    lastOpen = left;
    if (disturbed || now.isBefore(end)) {
      changed = now;
      return false;
    }
    if (left == 0) {
      return true;
    }
    Duration patience = account.get().onlyAllowedLossesLeft() ? PATIENCE_WITH_THE_LOST : PATIENCE;
    return now.isAfter(changed.plus(patience));
  }
}
