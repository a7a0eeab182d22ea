// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

/** Ledgers for tests of what writes into them. */
public final class Ledgers {
  private Ledgers() {}

  /** One whose trial has that many messages, numbered from 0. */
  public static Ledger of(int messages) {
    Ledger ledger = new Ledger();
    ledger.next(messages);
    return ledger;
  }
}
