// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.screen.Progress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;
import org.jspecify.annotations.Nullable;

/**
 * Places the orders, pays some of them in time, and waits until the ledger has an answer for each.
 */
final class Story {
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** For this long after the end a second copy, or one that was cancelled, would be noticed. */
  private static final Duration QUIET = Duration.ofMillis(500);

  private final DelayedPublisher publisher;
  private final Ledger ledger;
  private final Progress progress;
  private final Duration patience;
  private final LongAccumulator lastDueMillis =
      new LongAccumulator(Math::max, System.currentTimeMillis());
  private volatile boolean ended;
  private int orders;
  private int placed;

  /**
   * @param patience how long after the last due instant or arrival something is taken for lost
   */
  Story(DelayedPublisher publisher, Ledger ledger, Progress progress, Duration patience) {
    this.publisher = publisher;
    this.ledger = ledger;
    this.progress = progress;
    this.patience = patience;
  }

  void tell(List<Order> all) throws InterruptedException {
    orders = all.size();
    try {
      place(all);
      while (!over(Instant.now())) {
        TimeUnit.NANOSECONDS.sleep(TICK_NANOS);
        show();
      }
    } finally {
      ended = true;
    }
  }

  private void place(List<Order> all) throws InterruptedException {
    long start = System.nanoTime();
    for (Order order : all) {
      waitUntil(start + order.placedAfter().toNanos());
      place(order);
      placed++;
    }
  }

  private void waitUntil(long nanoTime) throws InterruptedException {
    long wait = nanoTime - System.nanoTime();
    while (wait > 0) {
      TimeUnit.NANOSECONDS.sleep(Math.min(wait, TICK_NANOS));
      show();
      wait = nanoTime - System.nanoTime();
    }
  }

  private void place(Order order) {
    String id = ledger.id(order);
    publisher
        .publish(order.message(id))
        .whenComplete((receipt, failure) -> answered(order, id, receipt, failure));
  }

  private void answered(
      Order order, String id, @Nullable PublishReceipt receipt, @Nullable Throwable failure) {
    if (receipt == null) {
      ledger.failed(id, cause(failure));
      return;
    }
    ledger.published(id, receipt);
    lastDueMillis.accumulate(receipt.deliverAt().toEpochMilli());
    if (order.paid() && receipt.confirmed()) {
      Executor atPayment =
          CompletableFuture.delayedExecutor(order.timeout().toMillis() / 3, TimeUnit.MILLISECONDS);
      atPayment.execute(() -> pay(id, receipt));
    }
  }

  private void pay(String id, PublishReceipt receipt) {
    if (!ended) {
      publisher.cancel(receipt).thenAccept(outcome -> ledger.cancelAnswered(id, outcome));
    }
  }

  private static Throwable cause(@Nullable Throwable failure) {
    if (failure instanceof CompletionException && failure.getCause() != null) {
      return failure.getCause();
    }
    return failure == null ? new IllegalStateException("neither receipt nor failure") : failure;
  }

  private boolean over(Instant now) {
    Instant lastDue = Instant.ofEpochMilli(lastDueMillis.get());
    Instant lastArrival = ledger.lastArrival();
    Instant lastSign = lastArrival.isAfter(lastDue) ? lastArrival : lastDue;
    return now.isAfter(lastSign.plus(ledger.open() == 0 ? QUIET : patience));
  }

  private void show() {
    int arrived = ledger.arrived();
    int over = arrived + ledger.cancelled();
    String held = Numbers.count(placed - over) + " held";
    progress.show(
        over,
        orders,
        held,
        () ->
            "%s of %s orders placed, %s timeouts arrived, %s"
                .formatted(
                    Numbers.count(placed), Numbers.count(orders), Numbers.count(arrived), held));
  }
}
