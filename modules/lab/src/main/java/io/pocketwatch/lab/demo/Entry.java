// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What is known of one message. Guarded by the ledger. */
final class Entry {
  private final Order order;
  private @Nullable PublishReceipt receipt;
  private @Nullable String failure;
  private @Nullable ChangeOutcome cancel;
  private @Nullable DelayedDelivery delivery;
  private @Nullable Instant arrival;
  private int arrivals;

  Entry(Order order) {
    this.order = order;
  }

  void receipt(PublishReceipt receipt) {
    this.receipt = receipt;
  }

  Optional<PublishReceipt> receipt() {
    return Optional.ofNullable(receipt);
  }

  void failure(String reason) {
    this.failure = reason;
  }

  void cancel(ChangeOutcome outcome) {
    this.cancel = outcome;
  }

  void arrived(DelayedDelivery delivery, Instant arrival) {
    arrivals++;
    if (this.arrival == null || arrival.isBefore(this.arrival)) {
      this.delivery = delivery;
      this.arrival = arrival;
    }
  }

  /** Whether an answer or an arrival is still to come. */
  boolean open() {
    if (receipt == null) {
      return failure == null;
    }
    if (order.paid() && receipt.confirmed() && cancel == null) {
      return true;
    }
    return fate() == Fate.LOST;
  }

  /** As it stands now; final when nothing more can come. */
  Fate fate() {
    if (receipt == null) {
      return failure == null || failure.isBlank() || arrivals > 0
          ? Fate.UNEXPLAINED
          : Fate.UNCONFIRMED;
    }
    if (arrivals > 0) {
      return mayArrive(receipt.outcome()) && asTheReceiptSays(receipt)
          ? Fate.DELIVERED
          : Fate.UNEXPLAINED;
    }
    if (!receipt.confirmed()) {
      return receipt.detail().isBlank() ? Fate.UNEXPLAINED : Fate.UNCONFIRMED;
    }
    if (cancel == ChangeOutcome.DONE) {
      return Fate.CANCELLED;
    }
    boolean unanswered = cancel == ChangeOutcome.UNCERTAIN || (order.paid() && cancel == null);
    return unanswered ? Fate.UNEXPLAINED : Fate.LOST;
  }

  private boolean mayArrive(PublishOutcome outcome) {
    boolean accepted = outcome == PublishOutcome.CONFIRMED || outcome == PublishOutcome.UNCERTAIN;
    return accepted && cancel != ChangeOutcome.DONE;
  }

  private boolean asTheReceiptSays(PublishReceipt receipt) {
    DelayedDelivery arrived = Objects.requireNonNull(delivery, "delivery");
    return arrived.deliverAt().equals(receipt.deliverAt())
        && arrived.strategy() == receipt.strategy();
  }

  DelayStrategy strategy() {
    return receipt == null ? order.strategy() : receipt.strategy();
  }

  /** Whether nothing is wrong with it. */
  boolean sound() {
    Fate fate = fate();
    Duration lateness = lateness();
    return (fate == Fate.DELIVERED || fate == Fate.CANCELLED)
        && (lateness == null || !lateness.isNegative());
  }

  /** Of the first arrival; null if there was none. */
  @Nullable Duration lateness() {
    return delivery == null || arrival == null ? null : delivery.lateness(arrival);
  }

  int arrivals() {
    return arrivals;
  }

  /** For a person who has to find out what went wrong. */
  String describe() {
    return "order %s: %s, paid=%s, receipt=%s, failure=%s, cancel=%s, arrivals=%s, lateness=%s"
        .formatted(
            order.number(), fate(), order.paid(), receipt, failure, cancel, arrivals, lateness());
  }
}
