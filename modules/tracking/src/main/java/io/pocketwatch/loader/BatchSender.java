// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.PublishOutcome;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.HandOffResult.Problem;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.StoreEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands off a batch of a route, watches for reasons to stop, and ends the claims. */
final class BatchSender {
  private static final Logger LOG = LoggerFactory.getLogger(BatchSender.class);

  private final LoaderContext work;
  private final LoadCounters tally;
  private final String route;
  private final Set<String> heldUp;
  private final long claimed = System.nanoTime();
  private volatile @Nullable String away;

  /**
   * @param heldUp the routes that this run skips from now on
   */
  BatchSender(LoaderContext work, LoadCounters tally, String route, Set<String> heldUp) {
    this.work = work;
    this.tally = tally;
    this.route = route;
    this.heldUp = heldUp;
  }

  void send(List<Claim> batch) {
    List<CompletableFuture<HandOffResult>> futures = new ArrayList<>();
    int next = 0;
    while (next < batch.size() && mayGoOn()) {
      futures.add(handOff(batch.get(next++)));
    }
    List<HandOffResult> confirmed = new ArrayList<>();
    List<HandOffResult> failed = new ArrayList<>();
    for (CompletableFuture<HandOffResult> future : futures) {
      HandOffResult result = future.join();
      (result.confirmed() ? confirmed : failed).add(result);
    }
    confirmed(confirmed);
    failed(failed, batch.subList(next, batch.size()));
  }

  private boolean mayGoOn() {
    if (work.stopping()) {
      away = "this loader was closed";
    } else if (leaseEnds()) {
      away = "the broker took too little of a batch while its lease lasted";
    } else if (!work.publisher.status().connected()) {
      away = "no connection to the broker";
    }
    return away == null;
  }

  /** A message sent later might be marked too late, and sent by another loader as well. */
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
              if (known.problem() == Problem.BROKER || known.problem() == Problem.SILENCE) {
                watch(known, error != null, System.nanoTime() - begun);
              }
              return known;
            });
  }

  /** Here and now: a moment later the connection may be another one. */
  private void watch(HandOffResult result, boolean closed, long nanos) {
    boolean silence =
        result.outcome() == PublishOutcome.UNCERTAIN
            && nanos >= work.routes.publisher().confirmTimeout().toNanos();
    if (closed || silence || !work.publisher.status().connected()) {
      away = result.detail();
    }
  }

  private static HandOffResult closed(Claim claim, Throwable error) {
    return new HandOffResult(
        claim, PublishOutcome.REJECTED, ErrorWords.of(error), Problem.BROKER, false);
  }

  /** Counts confirmed messages; they are marked already, if their claims were still ours. */
  private void confirmed(List<HandOffResult> results) {
    int marked = (int) results.stream().filter(HandOffResult::marked).count();
    tally.outrun(results.size() - marked);
    if (marked > 0) {
      tally.loaded(route, marked);
      Duration duration = Duration.ofNanos(System.nanoTime() - claimed);
      work.listener.onEvent(new StoreEvent.Loaded(route, marked, duration));
    }
  }

  private void failed(List<HandOffResult> failed, List<Claim> unsent) {
    List<Conclusion> ends = new ArrayList<>();
    failed.forEach(result -> ends.add(work.handOff.failed(result)));
    unsent.forEach(claim -> ends.add(Conclusion.giveBack(claim)));
    if (ends.isEmpty()) {
      return;
    }
    List<Ended> ended = work.store.conclude(ends);
    int givenBack = 0;
    for (int i = 0; i < ends.size(); i++) {
      Conclusion end = ends.get(i);
      if (end.kind() == Conclusion.Kind.GIVE_BACK) {
        givenBack++;
      } else if (ended.get(i) == Ended.APPLIED) {
        tellListener(end, i < failed.size() ? failed.get(i).problem() : Problem.NONE);
      }
    }
    if (givenBack > 0) {
      givenBack(givenBack, failed);
    }
  }

  private void tellListener(Conclusion end, Problem problem) {
    String reason = String.valueOf(end.reason());
    if (end.kind() == Conclusion.Kind.PARK) {
      LOG.warn("Parked {}: {}", end.claim().key(), reason);
      tally.parked();
      work.listener.onEvent(new StoreEvent.Parked(end.claim().key(), reason));
      return;
    }
    LOG.debug("{} is tried again in {}: {}", end.claim().key(), end.pause(), reason);
    tally.waiting();
    if (problem == Problem.TARGET || problem == Problem.REFUSED) {
      work.listener.onEvent(new StoreEvent.TargetMissing(end.claim().key(), reason));
    }
  }

  /** The broker did not take them: the route is loaded later, or all if the broker is away. */
  private void givenBack(int count, List<HandOffResult> failed) {
    String why =
        failed.stream()
            .filter(result -> result.problem() == Problem.BROKER)
            .map(HandOffResult::detail)
            .findFirst()
            .orElse("not sent");
    if (away != null) {
      why = away;
      tally.error(why);
    }
    heldUp.add(route);
    tally.givenBack(count, why);
    LOG.debug("Gave back {} messages of route {}: {}", count, route, why);
    work.listener.onEvent(new StoreEvent.HeldUp(route, count, why));
  }
}
