// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.internal.rows.StoreRule;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.HandOffResult.Problem;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.StoreEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides how claims end, writes that, and notifies the listener. Thread-safe; never waits. */
final class ClaimEnds implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClaimEnds.class);

  private final StoreRule rule;
  private final FailureRule failures;
  private final PoisonCandidates suspects;
  private final ConclusionWriter conclusions;
  private final PocketwatchListener listener;

  ClaimEnds(
      StoreRule rule,
      PoisonCandidates suspects,
      ConclusionWriter conclusions,
      PocketwatchListener listener) {
    this.rule = rule;
    this.failures = new FailureRule(rule.routes().loader());
    this.suspects = suspects;
    this.conclusions = conclusions;
    this.listener = listener;
  }

  /** Ends the claim of a message sent from here. */
  void sent(Claimed each, HandOffResult result) {
    handedOff(result);
    Claim claim = each.claim();
    if (!result.confirmed()) {
      LOG.debug("{} was not taken: {}", claim.key(), result);
      Conclusion end = failed(result);
      write(end);
      tell(end, result.problem());
    } else if (each.sentWhenDue() && claim.message().nextQueue() == null && !each.wasLate()) {
      conclusions.writeLater(confirmed(claim), each.leaseOver(2));
    } else {
      write(confirmed(claim));
    }
  }

  /** Ends the claim of a message sent for a caller, which ends the claims that fail. */
  CompletableFuture<HandOffResult> sentFor(HandOffResult result) {
    CompletableFuture<HandOffResult> marked =
        result.confirmed()
            ? conclusions.write(confirmed(result.claim())).thenApply(result::marked)
            : CompletableFuture.completedFuture(result);
    return marked.thenApply(this::handedOff);
  }

  /** Frees a message that was not sent: it may be due long before its lease is over. */
  void giveBack(Claim claim) {
    LOG.debug("{} is left to the loaders", claim.key());
    write(Conclusion.giveBack(claim));
  }

  /** Frees a message that may have been sent; that will not be known. */
  void giveUp(Claim claim, Throwable error) {
    LOG.debug("{} is left to the loaders", claim.key(), error);
    write(Conclusion.giveBack(claim).unknown());
  }

  Conclusion failed(HandOffResult result) {
    MessageKey key = result.claim().key();
    boolean poison = suspects.contains(key) && suspects.othersPass();
    if (result.problem() == Problem.CHANNEL) {
      suspects.add(key);
    }
    Conclusion end = failures.decide(result, rule.now(), poison);
    if (end.kind() == Conclusion.Kind.PARK) {
      suspects.remove(key);
    }
    return end;
  }

  private Conclusion confirmed(Claim claim) {
    if (claim.message().message().tracking() == Tracking.NONE
        && claim.message().nextQueue() == null) {
      return Conclusion.delete(claim);
    }
    return Conclusion.sent(claim, claim.message().sentWhenDue() ? rule.now() : heldUntil(claim));
  }

  /** The latest instant at which the copy leaves its hold: when due, plus the resolutions. */
  private Instant heldUntil(Claim claim) {
    Instant now = rule.now();
    Instant due = claim.message().deliverAt();
    DelayRoute route = rule.routes().named(claim.key().route());
    Duration own = route == null ? null : route.resolution();
    return (due.isBefore(now) ? now : due)
        .plus(rule.routes().hold().wheel().resolution())
        .plus(own == null ? Duration.ZERO : own);
  }

  private void write(Conclusion end) {
    CompletableFuture<Boolean> unused = conclusions.write(end);
  }

  private HandOffResult handedOff(HandOffResult result) {
    listener.onEvent(new StoreEvent.HandedOff(result));
    return result;
  }

  private void tell(Conclusion end, Problem problem) {
    MessageKey key = end.claim().key();
    String reason = String.valueOf(end.reason());
    if (end.kind() == Conclusion.Kind.PARK) {
      LOG.warn("Parked {}: {}", key, reason);
      listener.onEvent(new StoreEvent.Parked(key, reason));
    } else if (problem == Problem.TARGET || problem == Problem.REFUSED) {
      listener.onEvent(new StoreEvent.TargetMissing(key, reason));
    }
  }

  @Override
  public void close() {
    conclusions.close();
  }
}
