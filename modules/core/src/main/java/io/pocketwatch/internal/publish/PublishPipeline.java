// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import io.pocketwatch.DelayedMessage;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.PocketwatchException;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.config.PublisherOptions;
import io.pocketwatch.internal.amqp.NothingSentException;
import io.pocketwatch.internal.amqp.PublishLink;
import io.pocketwatch.internal.amqp.UnconfirmedMessage;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.InFlightLimit;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.internal.setup.KnownBroker;
import io.pocketwatch.spi.PublisherSettings;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * Takes each message through its steps: plans it, takes a place in flight, prepares the
 * destination, and sends. The broker's answer completes the future and frees the place.
 */
final class PublishPipeline {
  private final PublisherOptions options;
  private final InstantSource clock;
  private final KnownBroker broker;
  private final InFlightLimit inFlight;
  private final Prerequisites prerequisites;
  private final PublishLink link;
  private final Scheduler scheduler;

  PublishPipeline(
      PublisherSettings settings,
      KnownBroker broker,
      InFlightLimit inFlight,
      Prerequisites prerequisites,
      PublishLink link,
      Scheduler scheduler) {
    this.options = settings.routes().publisher();
    this.clock = settings.clock();
    this.broker = broker;
    this.inFlight = inFlight;
    this.prerequisites = prerequisites;
    this.link = link;
    this.scheduler = scheduler;
  }

  /**
   * Fixes all that must stay the same however often the message is tried.
   *
   * @throws InvalidMessageException if the message can never be sent as it is
   */
  Submission accept(DelayedMessage message) {
    return broker.planner().accept(message, clock.instant());
  }

  CompletableFuture<PublishReceipt> start(DelayedMessage message) {
    try {
      return start(accept(message));
    } catch (PocketwatchException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  CompletableFuture<PublishReceipt> start(Submission submission) {
    CompletableFuture<PublishReceipt> future = new CompletableFuture<>();
    Attempt attempt;
    try {
      attempt = planned(submission, future);
    } catch (PocketwatchException e) {
      future.completeExceptionally(e);
      return future;
    }
    if (inFlight.enter(attempt.bodyLength(), options.confirmTimeout())) {
      connectAndSend(attempt);
    } else {
      future.complete(attempt.plan().receipt(PublishOutcome.REJECTED, Cause.NO_ROOM, noPlace()));
    }
    return future;
  }

  private Attempt planned(Submission submission, CompletableFuture<PublishReceipt> future) {
    Instant now = clock.instant();
    return new Attempt(submission, broker.planner().plan(submission, now), now, future);
  }

  /** Plans again after the first connection: only then is it known what the broker offers. */
  private void connectAndSend(Attempt attempt) {
    CompletableFuture<Void> tried;
    try {
      tried = prerequisites.firstConnection();
    } catch (RuntimeException | Error e) { // no thread left: free the place
      fail(attempt, e);
      return;
    }
    if (tried.isDone()) {
      prepareAndSend(attempt);
      return;
    }
    scheduler
        .within(options.confirmTimeout(), tried)
        .whenComplete(
            (nothing, error) -> {
              if (error == null) {
                planAndSend(attempt);
              } else if (error instanceof TimeoutException) {
                reject(attempt, Cause.NOT_CONNECTED, notConnectedInTime(options));
              } else {
                notEnsured(attempt, error);
              }
            });
  }

  private void planAndSend(Attempt attempt) {
    Attempt anew;
    try {
      anew = planned(attempt.submission(), attempt.future());
    } catch (RuntimeException | Error e) { // on threads of ours nobody else would end the future
      fail(attempt, e);
      return;
    }
    prepareAndSend(anew);
  }

  private void prepareAndSend(Attempt attempt) {
    CompletableFuture<Void> ensured = prerequisites.ensure(attempt);
    if (ensured.isDone()) {
      if (ensured.isCompletedExceptionally()) {
        ensured.whenComplete((nothing, error) -> notEnsured(attempt, error));
      } else {
        send(attempt);
      }
      return;
    }
    scheduler
        .within(options.confirmTimeout(), ensured)
        .whenComplete(
            (nothing, error) -> {
              if (error == null) {
                send(attempt);
                return;
              }
              if (error instanceof TimeoutException) {
                prerequisites.giveUp(attempt, ensured);
              }
              notEnsured(attempt, error);
            });
  }

  private void notEnsured(Attempt attempt, Throwable error) {
    Throwable wrapped = error instanceof CompletionException ? error.getCause() : null;
    Throwable cause = wrapped == null ? error : wrapped;
    if (cause instanceof NothingSentException nothing) {
      reject(attempt, nothing.receiptCause(), ErrorWords.of(cause));
    } else if (cause instanceof TimeoutException) {
      reject(attempt, Cause.NOT_PREPARED, notEnsuredInTime(options));
    } else {
      fail(attempt, cause instanceof RejectedExecutionException ? closed(cause) : cause);
    }
  }

  private void send(Attempt attempt) {
    PublishPlan plan;
    try {
      DelayPlanner planner = broker.planner();
      plan = attempt.upToDate(clock.instant(), planner, planner.holdsByTime());
    } catch (RuntimeException | Error e) { // on threads of ours nobody else would end the future
      fail(attempt, e);
      return;
    }
    long now = scheduler.nanoTime();
    link.publish(
        new UnconfirmedMessage(
            plan,
            now,
            now + options.confirmTimeout().toNanos(),
            receipt -> {
              Duration took = Duration.between(attempt.planned(), clock.instant());
              try {
                prerequisites.sent(plan, receipt, took);
              } finally { // also where there are no more threads
                end(attempt, receipt);
              }
            }));
  }

  private void reject(Attempt attempt, Cause cause, String detail) {
    end(attempt, attempt.plan().receipt(PublishOutcome.REJECTED, cause, detail));
  }

  private void end(Attempt attempt, PublishReceipt receipt) {
    inFlight.leave(attempt.bodyLength(), () -> attempt.future().complete(receipt));
  }

  private void fail(Attempt attempt, Throwable cause) {
    inFlight.leave(attempt.bodyLength(), () -> attempt.future().completeExceptionally(cause));
  }

  private String noPlace() {
    return Thread.currentThread().isInterrupted()
        ? "interrupted while waiting for a place in flight, nothing was sent"
        : "%s messages in flight, or a sixteenth of the heap, and none answered within %s, nothing was sent"
            .formatted(options.maxInFlight(), DurationText.format(options.confirmTimeout()));
  }

  static String notConnectedInTime(PublisherOptions options) {
    return "connecting for the first time, and declaring what is missing, takes longer than %s;"
            .formatted(DurationText.format(options.confirmTimeout()))
        + " nothing was sent";
  }

  static String notEnsuredInTime(PublisherOptions options) {
    return "the broker did not answer for its destination or queue, or declare the wheel, within %s;"
            .formatted(DurationText.format(options.confirmTimeout()))
        + " nothing was sent";
  }

  static IllegalStateException closed(Throwable cause) {
    return new IllegalStateException("this publisher is closed", cause);
  }
}
