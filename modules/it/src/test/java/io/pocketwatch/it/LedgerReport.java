// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import io.pocketwatch.PublishOutcome;
import java.util.Locale;

/** The sum of a ledger, in one line of JSON. */
record LedgerReport(
    String broker,
    long seconds,
    int kills,
    int scheduled,
    long confirmed,
    long rejected,
    long uncertain,
    long returned,
    int failed,
    long hanging,
    long arrived,
    long lost,
    long rejectedButArrived,
    long uncertainAndArrived,
    int early,
    int duplicates,
    long worstLatenessMs) {

  static LedgerReport of(Ledger ledger, String broker, long seconds, int kills) {
    return new LedgerReport(
        broker,
        seconds,
        kills,
        ledger.scheduled(),
        ledger.count(PublishOutcome.CONFIRMED),
        ledger.count(PublishOutcome.REJECTED),
        ledger.count(PublishOutcome.UNCERTAIN),
        ledger.count(PublishOutcome.RETURNED),
        ledger.failed(),
        ledger.hanging(),
        ledger.arrived(),
        ledger.outstanding(),
        ledger.arrived(PublishOutcome.REJECTED),
        ledger.arrived(PublishOutcome.UNCERTAIN),
        ledger.early(),
        ledger.duplicates(),
        ledger.worstLatenessMillis());
  }

  /**
   * Whether what every outcome promises was kept. Duplicates and lateness are no broken promise.
   */
  boolean kept() {
    return lost == 0
        && hanging == 0
        && failed == 0
        && rejectedButArrived == 0
        && early == 0
        && confirmed + rejected + uncertain + returned == scheduled;
  }

  String toJson() {
    return String.format(
        Locale.ROOT,
        "{\"broker\":\"%s\",\"seconds\":%s,\"kills\":%s,\"scheduled\":%s,\"confirmed\":%s,"
            + "\"rejected\":%s,\"uncertain\":%s,\"returned\":%s,\"failed\":%s,\"hanging\":%s,"
            + "\"arrived\":%s,\"lost\":%s,\"rejectedButArrived\":%s,\"uncertainAndArrived\":%s,"
            + "\"early\":%s,\"duplicates\":%s,\"worstLatenessMs\":%s}",
        broker,
        seconds,
        kills,
        scheduled,
        confirmed,
        rejected,
        uncertain,
        returned,
        failed,
        hanging,
        arrived,
        lost,
        rejectedButArrived,
        uncertainAndArrived,
        early,
        duplicates,
        worstLatenessMs);
  }
}
