// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import com.rabbitmq.client.Connection;
import io.pocketwatch.BrokerUnreachableException;
import io.pocketwatch.DelayStrategy;
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
import io.pocketwatch.internal.setup.Destinations;
import io.pocketwatch.internal.temporary.TemporaryQueues;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes each message through its steps. It plans the message, takes a place in flight, makes sure
 * of the destination, and sends. The broker's answer ends the message's future and gives the place
 * back.
 */
final class PublishPipeline {
  /** Time spent waiting is made up for by holding for less, from this on. */
  private static final Duration WORTH_PLANNING_AGAIN = Duration.ofMillis(1);

  private final PublisherOptions options;
  private final InstantSource clock;
  private final Supplier<DelayPlanner> planner;
  private final InFlightLimit inFlight;
  private final Destinations destinations;
  private final Supplier<CompletableFuture<Void>> wheel;
  private final Predicate<Connection> holdsByTime;
  private final Runnable refusedByTime;
  private final TemporaryQueues temporaryQueues;
  private final PublishLink link;
  private final Executor adminThreads;
  private final Scheduler scheduler;

  /**
   * @param planner the planner for the broker as it is known now
   * @param wheel completes when the wheel is there
   * @param holdsByTime whether a connection of somebody else's holds messages by their time
   * @param refusedByTime told that a queue which does so has refused one; must not wait
   * @param adminThreads run what waits for an answer on the admin connection
   */
  PublishPipeline(
      PublisherOptions options,
      InstantSource clock,
      Supplier<DelayPlanner> planner,
      InFlightLimit inFlight,
      Destinations destinations,
      Supplier<CompletableFuture<Void>> wheel,
      Predicate<Connection> holdsByTime,
      Runnable refusedByTime,
      TemporaryQueues temporaryQueues,
      PublishLink link,
      Executor adminThreads,
      Scheduler scheduler) {
    this.scheduler = scheduler;
    this.options = options;
    this.clock = clock;
    this.planner = planner;
    this.inFlight = inFlight;
    this.destinations = destinations;
    this.wheel = wheel;
    this.holdsByTime = holdsByTime;
    this.refusedByTime = refusedByTime;
    this.temporaryQueues = temporaryQueues;
    this.link = link;
    this.adminThreads = adminThreads;
  }

  CompletableFuture<PublishReceipt> start(DelayedMessage message) {
    try {
      return start(accept(message));
    } catch (PocketwatchException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Pins what must stay the same however often the message is tried.
   *
   * @throws InvalidMessageException if it can never be sent as it is
   */
  Submission accept(DelayedMessage message) {
    return planner.get().accept(message, clock.instant());
  }

  CompletableFuture<PublishReceipt> start(Submission submission) {
    CompletableFuture<PublishReceipt> future = new CompletableFuture<>();
    Attempt attempt;
    try {
      Instant now = clock.instant();
      PublishPlan plan = planner.get().plan(submission, now);
      attempt = new Attempt(submission, plan, now, future);
    } catch (PocketwatchException e) {
      future.completeExceptionally(e);
      return future;
    }
    if (inFlight.enter(attempt.bodyLength(), options.confirmTimeout())) {
      connectAndSend(attempt);
    } else {
      future.complete(attempt.plan.receipt(PublishOutcome.REJECTED, Cause.NO_ROOM, noPlace()));
    }
    return future;
  }

  /**
   * Everything before the sending, on the calling thread, for those who send by themselves.
   *
   * @see io.pocketwatch.spi.Planning#prepare
   */
  PublishPlan prepareForOthers(Submission submission, Connection on) {
    awaitFirstConnection();
    Instant now = clock.instant();
    PublishPlan plan = planner.get().holdingByTime(true).plan(submission, now);
    if (!link.everConnected()) {
      throw new BrokerUnreachableException(
          "the topology was not declared or checked yet: " + link.whyDown());
    }
    // Only what could be held so waits for a probe of its connection.
    boolean byTime = plan.strategy() == DelayStrategy.DELIVERY_TIME && holdsByTime.test(on);
    if (plan.strategy() == DelayStrategy.DELIVERY_TIME && !byTime) {
      now = clock.instant();
      plan = heldPlan(submission, now, planner.get().holdingByTime(false));
    }
    Attempt attempt = new Attempt(submission, plan, now, new CompletableFuture<>());
    CompletableFuture<Void> prepared = preparation(attempt);
    try {
      scheduler.await(prepared, options.confirmTimeout());
    } catch (ExecutionException e) {
      throw unprepared(e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException e) {
      tooLate(attempt, prepared);
      throw new BrokerUnreachableException(notPrepared(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      tooLate(attempt, prepared);
      throw new BrokerUnreachableException("interrupted, nothing was sent", e);
    }
    if (plan.temporaryQueue() != null) {
      temporaryQueues.handedOut(plan); // its answer goes to somebody else
    }
    return upToDate(attempt, planner.get().holdingByTime(byTime));
  }

  private void awaitFirstConnection() {
    try {
      scheduler.await(link.need(), options.confirmTimeout());
    } catch (TimeoutException e) {
      throw new BrokerUnreachableException(notConnectedInTime(), e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("this future only completes normally", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BrokerUnreachableException("interrupted, nothing was sent", e);
    }
  }

  private String notConnectedInTime() {
    return "connecting for the first time, and declaring what is missing, takes longer than %s;"
            .formatted(DurationText.format(options.confirmTimeout()))
        + " nothing was sent";
  }

  /**
   * The same temporary queue, another time.
   *
   * @see io.pocketwatch.spi.Planning#again
   */
  PublishPlan again(PublishPlan prepared, Submission submission) {
    Instant now = clock.instant();
    return prepared
        .withProperties(heldPlan(submission, now, planner.get().holdingByTime(false)).properties())
        .expiringAfter(Duration.between(now, submission.deliverAt()));
  }

  /**
   * Planned again a message stays a held one, though it may be due by now. The straight way was not
   * prepared; the broker might refuse it by closing the channel.
   */
  private static PublishPlan heldPlan(Submission submission, Instant now, DelayPlanner by) {
    Instant last = submission.deliverAt().minusMillis(1);
    return by.plan(submission, now.isBefore(last) ? now : last);
  }

  private static RuntimeException unprepared(Throwable cause) {
    if (cause instanceof PocketwatchException known) {
      return known;
    }
    return cause instanceof RejectedExecutionException
        ? new IllegalStateException("this publisher is closed", cause)
        : new BrokerUnreachableException(ErrorWords.of(cause), cause);
  }

  /** Planned anew after the first connection: only then is it known what the broker offers. */
  private void connectAndSend(Attempt attempt) {
    CompletableFuture<Void> tried = link.need();
    if (tried.isDone()) {
      prepareAndSend(attempt);
      return;
    }
    scheduler
        .within(options.confirmTimeout(), tried)
        .whenCompleteAsync(
            (nothing, late) -> {
              if (late == null) {
                planAndSend(attempt);
              } else {
                end(
                    attempt,
                    attempt.plan.receipt(
                        PublishOutcome.REJECTED, Cause.NOT_CONNECTED, notConnectedInTime()));
              }
            },
            adminThreads);
  }

  private void planAndSend(Attempt attempt) {
    Attempt anew;
    try {
      Instant now = clock.instant();
      PublishPlan plan = planner.get().plan(attempt.submission, now);
      anew = new Attempt(attempt.submission, plan, now, attempt.future);
    } catch (RuntimeException | Error e) { // on threads of ours nobody else would end the future
      fail(attempt, e);
      return;
    }
    prepareAndSend(anew);
  }

  private void prepareAndSend(Attempt attempt) {
    CompletableFuture<Void> prepared = preparation(attempt);
    if (prepared.isDone() && !prepared.isCompletedExceptionally()) {
      send(attempt);
      return;
    }
    if (prepared.isDone()) {
      prepared.whenComplete((nothing, error) -> proceed(attempt, error));
      return;
    }
    scheduler
        .within(options.confirmTimeout(), prepared)
        .whenComplete(
            (nothing, error) -> {
              if (error instanceof TimeoutException) {
                tooLate(attempt, prepared);
              }
              proceed(attempt, error);
            });
  }

  /** Declared only after the message was given up: nobody will need it. */
  private void tooLate(Attempt attempt, CompletableFuture<Void> prepared) {
    attempt.givenUp.set(true);
    if (attempt.plan.temporaryQueue() != null) {
      prepared.thenRun(() -> temporaryQueues.unanswered(attempt.plan));
    }
  }

  /** Complete already where nothing has to be asked or declared. */
  private CompletableFuture<Void> preparation(Attempt attempt) {
    try {
      CompletableFuture<Void> destination = destinations.ensure(attempt.plan.destinations());
      if (attempt.plan.strategy() == DelayStrategy.QUEUE_WHEEL) {
        CompletableFuture<Void> there = wheel.get();
        boolean known = there.isDone() && !there.isCompletedExceptionally();
        return known ? destination : CompletableFuture.allOf(destination, there);
      }
      return attempt.plan.temporaryQueue() == null
          ? destination
          : destination.thenComposeAsync(nothing -> declaration(attempt), adminThreads);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Not while nothing can be sent to it: it would be deleted while the broker recovers. */
  private CompletableFuture<Void> declaration(Attempt attempt) {
    if (!link.connected()) {
      throw new NothingSentException(Cause.NOT_CONNECTED, link.noConnection());
    }
    return temporaryQueues.declare(attempt.plan, attempt.givenUp::get);
  }

  private void proceed(Attempt attempt, @Nullable Throwable error) {
    if (error == null) {
      send(attempt);
      return;
    }
    Throwable wrapped = error instanceof CompletionException ? error.getCause() : null;
    Throwable cause = wrapped == null ? error : wrapped;
    if (cause instanceof NothingSentException nothing) {
      end(
          attempt,
          attempt.plan.receipt(
              PublishOutcome.REJECTED, nothing.receiptCause(), ErrorWords.of(cause)));
    } else if (cause instanceof TimeoutException) {
      end(
          attempt,
          attempt.plan.receipt(PublishOutcome.REJECTED, Cause.NOT_PREPARED, notPrepared()));
    } else if (cause instanceof RejectedExecutionException) {
      fail(attempt, new IllegalStateException("this publisher is closed", cause));
    } else {
      fail(attempt, cause);
    }
  }

  private void send(Attempt attempt) {
    PublishPlan plan;
    try {
      plan = upToDate(attempt, planner.get());
    } catch (RuntimeException | Error e) { // on threads of ours nobody else would end the future
      fail(attempt, e);
      return;
    }
    byte[] body = attempt.submission.message().body();
    link.publish(
        new UnconfirmedMessage(plan, body, deadline(), receipt -> sent(attempt, plan, receipt)));
  }

  /**
   * @param by knows the connection it is sent on
   */
  private PublishPlan upToDate(Attempt attempt, DelayPlanner by) {
    Instant now = clock.instant();
    if (attempt.plan.temporaryQueue() != null) {
      return attempt.plan.expiringAfter(Duration.between(now, attempt.plan.deliverAt()));
    }
    Duration waited = Duration.between(attempt.planned, now);
    if (attempt.plan.strategy() == DelayStrategy.DELIVERY_TIME && !by.holdsByTime()) {
      return heldPlan(attempt.submission, now, by); // there is another connection by now
    }
    boolean held = attempt.plan.strategy() != DelayStrategy.IMMEDIATE;
    return held && waited.compareTo(WORTH_PLANNING_AGAIN) >= 0
        ? heldPlan(attempt.submission, now, by)
        : attempt.plan;
  }

  private void sent(Attempt attempt, PublishPlan plan, PublishReceipt receipt) {
    if (receipt.outcome() == PublishOutcome.UNCERTAIN
        && receipt.strategy() == DelayStrategy.IMMEDIATE) {
      learn(plan, receipt);
    }
    if (receipt.cause() == Cause.NACKED && receipt.strategy() == DelayStrategy.DELIVERY_TIME) {
      refusedByTime.run();
    }
    if (attempt.plan.temporaryQueue() != null) {
      Duration took = Duration.between(attempt.planned, clock.instant());
      temporaryQueues.sent(attempt.plan, receipt.outcome(), took);
    }
    end(attempt, receipt);
  }

  /** Its exchange may close the channel each time, under the messages for others. */
  private void learn(PublishPlan plan, PublishReceipt receipt) {
    if (receipt.cause() == Cause.EXCHANGE_REFUSED) {
      plan.destinations().forEach(each -> destinations.refused(each, receipt.detail()));
    } else { // perhaps it was deleted; asking first ends that
      plan.destinations().forEach(destinations::forget);
    }
  }

  private void end(Attempt attempt, PublishReceipt receipt) {
    inFlight.leave(attempt.bodyLength(), () -> attempt.future.complete(receipt));
  }

  private void fail(Attempt attempt, Throwable cause) {
    inFlight.leave(attempt.bodyLength(), () -> attempt.future.completeExceptionally(cause));
  }

  private long deadline() {
    return scheduler.nanoTime() + options.confirmTimeout().toNanos();
  }

  private String noPlace() {
    return Thread.currentThread().isInterrupted()
        ? "interrupted while waiting for a place in flight, nothing was sent"
        : "%d messages in flight, or a sixteenth of the heap, and none answered within %s, nothing was sent"
            .formatted(options.maxInFlight(), DurationText.format(options.confirmTimeout()));
  }

  private String notPrepared() {
    return "the broker did not answer for its destination or queue, or declare the wheel, within %s;"
            .formatted(DurationText.format(options.confirmTimeout()))
        + " nothing was sent";
  }

  /** One publish call with a place in flight, which it gives back when its future has ended. */
  private record Attempt(
      Submission submission,
      PublishPlan plan,
      Instant planned,
      CompletableFuture<PublishReceipt> future,
      AtomicBoolean givenUp) {
    Attempt(
        Submission submission,
        PublishPlan plan,
        Instant planned,
        CompletableFuture<PublishReceipt> future) {
      this(submission, plan, planned, future, new AtomicBoolean());
    }

    int bodyLength() {
      return submission.message().body().length;
    }
  }
}
