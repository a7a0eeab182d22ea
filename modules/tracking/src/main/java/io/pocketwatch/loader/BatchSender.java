// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.PublishOutcome;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.loader.ClaimSender.SendResult;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.HandOffResult.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.jspecify.annotations.Nullable;

/** Hands claims over and watches for signs that it should stop. For one batch. */
final class BatchSender implements ClaimSender {
  private final LoaderContext work;
  private final ReadWriteLock company;
  private final long claimed = System.nanoTime();
  private volatile boolean cut;
  private volatile @Nullable String away;

  /**
   * @param company is written by whoever must be alone, and read by all others
   */
  BatchSender(LoaderContext work, ReadWriteLock company) {
    this.work = work;
    this.company = company;
  }

  @Override
  public SendResult send(List<Claim> group, boolean alone) {
    Lock turn = alone ? company.writeLock() : company.readLock();
    turn.lock();
    try {
      return send(group);
    } finally {
      turn.unlock();
    }
  }

  private SendResult send(List<Claim> group) {
    cut = false;
    List<CompletableFuture<HandOffResult>> futures = new ArrayList<>();
    int next = 0;
    while (next < group.size() && mayGoOn()) {
      futures.add(handOff(group.get(next++)));
    }
    List<HandOffResult> results = new ArrayList<>();
    futures.forEach(future -> results.add(future.join()));
    return new SendResult(results, group.subList(next, group.size()), away);
  }

  private boolean mayGoOn() {
    if (work.stopping()) {
      away = "this loader was closed";
    } else if (leaseEnds()) {
      away = "the broker took too little of a batch while its lease lasted";
    } else if (!work.publisher.status().connected()) {
      away = "no connection to the broker";
    }
    return away == null && !cut;
  }

  /** What is sent later than that might be marked too late, and sent by another loader as well. */
  private boolean leaseEnds() {
    return System.nanoTime() - claimed > work.options.lease().toNanos() / 2;
  }

  private CompletableFuture<HandOffResult> handOff(Claim claim) {
    long begun = System.nanoTime();
    return work.handOff
        .handOff(claim)
        .handle(
            (result, error) -> {
              HandOffResult known = error == null ? result : closed(claim, error);
              if (known.problem() == Problem.BROKER) {
                watch(known, error != null, System.nanoTime() - begun);
              }
              return known;
            });
  }

  /** Here and now: a moment later the connection may be another one. */
  private void watch(HandOffResult result, boolean closed, long nanos) {
    boolean uncertain = result.outcome() == PublishOutcome.UNCERTAIN;
    boolean silence = uncertain && nanos >= work.routes.publisher().confirmTimeout().toNanos();
    if (closed || silence || !work.publisher.status().connected()) {
      away = result.detail();
    }
    if (uncertain) {
      cut = true;
    }
  }

  private static HandOffResult closed(Claim claim, Throwable error) {
    return new HandOffResult(
        claim, PublishOutcome.REJECTED, ErrorWords.of(error), Problem.BROKER, false);
  }
}
