// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.internal.base.ErrorWords;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Every message by its id, from the publish call to the end: what the broker answered, what a
 * cancel answered, and each arrival. Thread-safe.
 */
final class Ledger {
  private final String run;
  private final Map<String, Entry> entries;
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger arrived = new AtomicInteger();
  private final AtomicInteger cancelled = new AtomicInteger();
  private final AtomicInteger strangers = new AtomicInteger();
  private volatile Instant lastArrival = Instant.MIN;

  /**
   * @param run first part of the ids of this run
   */
  Ledger(String run, List<Order> orders) {
    this.run = run;
    this.entries = new LinkedHashMap<>(orders.size() * 2);
    orders.forEach(order -> entries.put(id(order), new Entry(order)));
    open.set(entries.size());
  }

  String id(Order order) {
    return run + "-" + order.number();
  }

  void published(String id, PublishReceipt receipt) {
    change(id, entry -> entry.receipt(receipt));
  }

  /** The receipts there are, of messages held so. */
  synchronized List<PublishReceipt> receipts(DelayStrategy strategy) {
    return entries.values().stream()
        .flatMap(entry -> entry.receipt().stream())
        .filter(receipt -> receipt.strategy() == strategy)
        .toList();
  }

  void failed(String id, Throwable failure) {
    change(id, entry -> entry.failure(ErrorWords.of(failure)));
  }

  void cancelAnswered(String id, ChangeOutcome outcome) {
    change(id, entry -> entry.cancel(outcome));
    if (outcome == ChangeOutcome.DONE) {
      cancelled.incrementAndGet();
    }
  }

  /** Takes an arrival of this run; one that an earlier run left behind is only counted. */
  void arrived(DelayedDelivery delivery, Instant arrival) {
    if (!entries.containsKey(delivery.id())) {
      stranger();
      return;
    }
    lastArrival = arrival;
    change(
        delivery.id(),
        entry -> {
          entry.arrived(delivery, arrival);
          if (entry.arrivals() == 1) {
            arrived.incrementAndGet();
          }
        });
  }

  /** Counts an arrival that is none of ours. */
  void stranger() {
    strangers.incrementAndGet();
  }

  private void change(String id, Consumer<Entry> change) {
    Entry entry = entries.get(id);
    if (entry == null) {
      throw new IllegalArgumentException("no order has the id " + id);
    }
    synchronized (entry) {
      int before = entry.open() ? 1 : 0;
      change.accept(entry);
      open.addAndGet((entry.open() ? 1 : 0) - before);
    }
  }

  /** Messages that an answer or an arrival is still to come for. */
  int open() {
    return open.get();
  }

  /** Messages that have arrived, each counted once. */
  int arrived() {
    return arrived.get();
  }

  int cancelled() {
    return cancelled.get();
  }

  /** Arrivals that belong to no message of this run. */
  int strangers() {
    return strangers.get();
  }

  /** When something last arrived; {@link Instant#MIN} if nothing has. */
  Instant lastArrival() {
    return lastArrival;
  }

  /** The account as it stands, by strategy. */
  Map<DelayStrategy, Tally> tallies() {
    Map<DelayStrategy, Tally> tallies = new EnumMap<>(DelayStrategy.class);
    for (Entry entry : entries.values()) {
      synchronized (entry) {
        tallies.computeIfAbsent(entry.strategy(), strategy -> new Tally()).add(entry);
      }
    }
    return tallies;
  }

  /** The first messages that are not as they should be, in words. */
  List<String> problems(int most) {
    List<String> problems = new ArrayList<>();
    for (Entry entry : entries.values()) {
      synchronized (entry) {
        if (problems.size() < most && !entry.sound()) {
          problems.add(entry.describe());
        }
      }
    }
    return problems;
  }
}
