// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Every id: what its publisher was told, and how often and when it arrived. Thread-safe. */
final class Ledger {
  private final Map<String, Entry> entries = new ConcurrentHashMap<>();
  private final AtomicInteger failed = new AtomicInteger();
  private final AtomicInteger early = new AtomicInteger();
  private final AtomicInteger duplicates = new AtomicInteger();
  private final AtomicLong worstLateness = new AtomicLong();

  /** Before the publish call. */
  void scheduled(String id) {
    entries.put(id, new Entry());
  }

  /** When its future has ended. */
  void ended(String id, @Nullable PublishReceipt receipt) {
    if (receipt == null) {
      failed.incrementAndGet();
    } else {
      entry(id).outcome = receipt.outcome();
    }
    entry(id).ended = true;
  }

  /** At a consumer. */
  void arrived(Delivery delivery) {
    Instant now = Instant.now();
    DelayedDelivery delayed = DelayedDelivery.of(delivery).orElseThrow();
    long lateness = delayed.lateness(now).toMillis();
    if (now.isBefore(delayed.deliverAt())) {
      early.incrementAndGet();
    }
    worstLateness.accumulateAndGet(lateness, Math::max);
    if (entry(delayed.id()).arrivals.incrementAndGet() > 1) {
      duplicates.incrementAndGet();
    }
  }

  private Entry entry(String id) {
    return entries.computeIfAbsent(id, unknown -> new Entry());
  }

  /** How many are confirmed and have not arrived. */
  long outstanding() {
    return entries.values().stream()
        .filter(entry -> entry.outcome == PublishOutcome.CONFIRMED && entry.arrivals.get() == 0)
        .count();
  }

  long hanging() {
    return entries.values().stream().filter(entry -> !entry.ended).count();
  }

  long count(PublishOutcome outcome) {
    return entries.values().stream().filter(entry -> entry.outcome == outcome).count();
  }

  /** How many of those with this outcome arrived. */
  long arrived(PublishOutcome outcome) {
    return entries.values().stream()
        .filter(entry -> entry.outcome == outcome && entry.arrivals.get() > 0)
        .count();
  }

  long arrived() {
    return entries.values().stream().filter(entry -> entry.arrivals.get() > 0).count();
  }

  int scheduled() {
    return entries.size();
  }

  int failed() {
    return failed.get();
  }

  int early() {
    return early.get();
  }

  int duplicates() {
    return duplicates.get();
  }

  long worstLatenessMillis() {
    return worstLateness.get();
  }

  private static final class Entry {
    private final AtomicInteger arrivals = new AtomicInteger();
    private volatile boolean ended;
    private volatile @Nullable PublishOutcome outcome;
  }
}
