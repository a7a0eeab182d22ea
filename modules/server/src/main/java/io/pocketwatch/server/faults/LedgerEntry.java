// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import io.pocketwatch.DelayedMessage;
import java.time.Instant;

/** One message of the ledger, and whether the store has said that it has it. */
final class LedgerEntry {
  private final String id;
  private final LedgerRoute route;
  private final Instant deliverAt;
  private volatile boolean confirmed;

  LedgerEntry(String id, LedgerRoute route, Instant deliverAt) {
    this.id = id;
    this.route = route;
    this.deliverAt = deliverAt;
  }

  DelayedMessage message() {
    return DelayedMessage.to(LedgerRoute.EXCHANGE, route.key())
        .id(id)
        .body(id)
        .deliverAt(deliverAt);
  }

  String id() {
    return id;
  }

  LedgerRoute route() {
    return route;
  }

  Instant deliverAt() {
    return deliverAt;
  }

  boolean confirmed() {
    return confirmed;
  }

  void confirm() {
    confirmed = true;
  }
}
