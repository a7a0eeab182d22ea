// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.TopologyException;
import io.pocketwatch.UnknownTargetException;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.internal.rows.RowCodec;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.HandOffResult.Problem;
import io.pocketwatch.store.StoredMessage;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends claimed rows to the broker, and returns the broker's verdicts. Thread-safe. */
final class ClaimSender {
  private static final Logger LOG = LoggerFactory.getLogger(ClaimSender.class);

  private final DelayRoutes routes;
  private final DefaultHandOff.Broker broker;
  private final PoisonCandidates suspects;
  private final Scheduler time;

  ClaimSender(
      DelayRoutes routes, DefaultHandOff.Broker broker, PoisonCandidates suspects, Scheduler time) {
    this.routes = routes;
    this.broker = broker;
    this.suspects = suspects;
    this.time = time;
  }

  /**
   * Sends a claimed row. A suspect waits for those before it, perhaps so long that another process
   * has sent it. The future fails only if the publisher is closed.
   *
   * @param until the time after which it is not sent any more
   */
  CompletableFuture<HandOffResult> send(Claim claim, long until) {
    if (!suspects.contains(claim.key())) {
      return send(claim);
    }
    return suspects.inTurn(
        () ->
            time.nanoTime() - until > 0
                ? CompletableFuture.completedFuture(tooLate(claim))
                : send(claim));
  }

  private static HandOffResult tooLate(Claim claim) {
    String why = "not sent: its lease ends before its turn has come";
    return new HandOffResult(claim, PublishOutcome.REJECTED, why, Problem.BROKER, false);
  }

  private CompletableFuture<HandOffResult> send(Claim claim) {
    CompletableFuture<HandOffResult> result = send(claim, claim.message());
    if (claim.message().nextQueue() == null) {
      return result;
    }
    return result.thenCompose(
        sent ->
            sent.problem() == Problem.TARGET // the queue is gone, and its consumer has another
                ? send(claim, claim.message().toAll())
                : CompletableFuture.completedFuture(sent));
  }

  private CompletableFuture<HandOffResult> send(Claim claim, StoredMessage copy) {
    CompletableFuture<PublishReceipt> published;
    try {
      Submission submission = RowCodec.read(copy, routes);
      published =
          broker
              .publish()
              .apply(suspects.contains(claim.key()) ? submission.onChannelOfItsOwn() : submission);
    } catch (InvalidMessageException e) {
      return CompletableFuture.completedFuture(failed(claim, Problem.MESSAGE, e));
    } catch (RuntimeException e) { // the other rows must go on
      LOG.warn("{} cannot be handed off, for a reason that nobody foresaw", claim.key(), e);
      return CompletableFuture.completedFuture(failed(claim, Problem.UNFORESEEN, e));
    }
    CompletableFuture<HandOffResult> result = new CompletableFuture<>();
    published.whenComplete(
        (receipt, error) -> {
          if (error instanceof InvalidMessageException) {
            result.complete(failed(claim, Problem.MESSAGE, error));
          } else if (error instanceof UnknownTargetException
              || error instanceof TopologyException) {
            result.complete(failed(claim, Problem.TARGET, error));
          } else if (error != null) {
            result.completeExceptionally(error);
          } else {
            result.complete(result(claim, receipt));
          }
        });
    return result;
  }

  private static HandOffResult failed(Claim claim, Problem problem, Throwable error) {
    return new HandOffResult(claim, PublishOutcome.REJECTED, ErrorWords.of(error), problem, false);
  }

  private HandOffResult result(Claim claim, PublishReceipt receipt) {
    if (receipt.outcome() == PublishOutcome.CONFIRMED) {
      suspects.confirmed(claim.key());
      return new HandOffResult(claim, PublishOutcome.CONFIRMED, "", Problem.NONE, false);
    }
    return new HandOffResult(
        claim, receipt.outcome(), receipt.detail(), problem(claim, receipt), false);
  }

  /** Must be called at once: a moment later there may be another connection. */
  private Problem problem(Claim claim, PublishReceipt receipt) {
    if (receipt.outcome() == PublishOutcome.RETURNED) {
      return Problem.TARGET;
    }
    if (receipt.cause() == Cause.NO_EXCHANGE || receipt.cause() == Cause.EXCHANGE_REFUSED) {
      suspects.add(claim.key()); // each try closes its channel
      return receipt.strategy() == DelayStrategy.IMMEDIATE ? Problem.TARGET : Problem.HOLD;
    }
    if (receipt.cause() == Cause.CHANNEL_LOST && broker.connected().getAsBoolean()) {
      return Problem.CHANNEL;
    }
    boolean silent = receipt.cause() == Cause.NO_ANSWER || receipt.cause() == Cause.NO_ROOM;
    if (silent && claim.message().sentWhenDue() && broker.connected().getAsBoolean()) {
      return Problem.SILENCE;
    }
    if (receipt.cause() != Cause.NACKED) {
      return Problem.BROKER;
    }
    return receipt.strategy() == DelayStrategy.IMMEDIATE ? Problem.REFUSED : Problem.HOLD;
  }
}
