// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Schedules the messages of a round. What was not confirmed is scheduled again under the same id,
 * as an application would do: the store knows it then.
 */
final class Scheduling implements AutoCloseable {
  private static final long PAUSE_MILLIS = 500;

  private final DelayedPublisher publisher;
  private final AtomicInteger confirmed = new AtomicInteger();
  private final AtomicInteger rejected = new AtomicInteger();
  private final AtomicInteger uncertain = new AtomicInteger();
  private final ConcurrentHashMap<String, String> refused = new ConcurrentHashMap<>();
  private final ScheduledExecutorService again = Executors.newScheduledThreadPool(2);

  Scheduling(DelayedPublisher publisher) {
    this.publisher = publisher;
  }

  /** Schedules all of them, evenly over this time. */
  void run(List<LedgerEntry> entries, Instant begin, Duration length) throws InterruptedException {
    for (int i = 0; i < entries.size(); i++) {
      Instant turn = begin.plus(length.multipliedBy(i).dividedBy(entries.size()));
      long nanos = Duration.between(Instant.now(), turn).toNanos();
      if (nanos > 0) {
        LockSupport.parkNanos(nanos);
      }
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      schedule(entries.get(i));
    }
  }

  private void schedule(LedgerEntry entry) {
    CompletableFuture<?> unused =
        publisher
            .publish(entry.message())
            .whenComplete((receipt, failure) -> answered(entry, receipt, failure));
  }

  private void answered(
      LedgerEntry entry, @Nullable PublishReceipt receipt, @Nullable Throwable failure) {
    if (receipt == null) {
      refused.put(entry.id(), String.valueOf(failure));
      return;
    }
    if (receipt.confirmed()) {
      entry.confirm();
      confirmed.incrementAndGet();
      return;
    }
    (receipt.outcome() == PublishOutcome.UNCERTAIN ? uncertain : rejected).incrementAndGet();
    if (!again.isShutdown()) {
      again.schedule(() -> schedule(entry), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  int confirmed() {
    return confirmed.get();
  }

  /** Answers "rejected", each of which was followed by another attempt. */
  int rejected() {
    return rejected.get();
  }

  /** Answers "uncertain", each of which was followed by another attempt. */
  int uncertain() {
    return uncertain.get();
  }

  /** What was refused for good, by id, and why; nothing should be. */
  Map<String, String> refused() {
    return Map.copyOf(refused);
  }

  @Override
  public void close() {
    again.shutdownNow();
  }
}
