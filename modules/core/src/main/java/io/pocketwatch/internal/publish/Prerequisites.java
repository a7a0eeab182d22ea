// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.internal.amqp.NothingSentException;
import io.pocketwatch.internal.amqp.PublishLink;
import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.setup.BrokerSetup;
import io.pocketwatch.internal.setup.Destinations;
import io.pocketwatch.internal.temporary.TemporaryQueues;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Prepares what a message needs on the broker: its destination, the wheel or a temporary queue.
 *
 * @param adminThreads run the calls on the admin connection, which wait for answers
 */
record Prerequisites(
    BrokerSetup setup,
    Destinations destinations,
    TemporaryQueues temporaryQueues,
    PublishLink link,
    Executor adminThreads) {
  /** Completes after the first try to connect, on a thread that may wait for the broker. */
  CompletableFuture<Void> firstConnection() {
    CompletableFuture<Void> tried = link.need();
    return tried.isDone() ? tried : tried.thenRunAsync(() -> {}, adminThreads);
  }

  /** Prepares it; completes at once where nothing has to be asked or declared. */
  CompletableFuture<Void> ensure(Attempt attempt) {
    PublishPlan plan = attempt.plan();
    try {
      CompletableFuture<Void> destination = destinations.ensure(plan.destinations());
      if (plan.strategy() == DelayStrategy.QUEUE_WHEEL) {
        CompletableFuture<Void> wheel = setup.ensureWheel();
        boolean known = wheel.isDone() && !wheel.isCompletedExceptionally();
        return known ? destination : CompletableFuture.allOf(destination, wheel);
      }
      return plan.temporaryQueue() == null
          ? destination
          : destination.thenComposeAsync(nothing -> temporaryQueue(attempt), adminThreads);
    } catch (RuntimeException | Error e) { // closed, or no more threads
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Declares no queue without a connection to publish on: the broker may be recovering. */
  private CompletableFuture<Void> temporaryQueue(Attempt attempt) {
    if (!link.connected()) {
      throw new NothingSentException(Cause.NOT_CONNECTED, link.noConnection());
    }
    return temporaryQueues.declare(attempt.plan(), attempt.givenUp()::get);
  }

  /**
   * Gives up the wait for what a message needs.
   *
   * @param ensured the result of {@link #ensure}: a queue declared after this gets no message
   */
  void giveUp(Attempt attempt, CompletableFuture<Void> ensured) {
    attempt.givenUp().set(true);
    if (attempt.plan().temporaryQueue() != null) {
      ensured.thenRun(() -> temporaryQueues.unanswered(attempt.plan()));
    }
  }

  /**
   * Learns from the receipt of a message.
   *
   * @param took the time from its planning to the receipt
   */
  void sent(PublishPlan plan, PublishReceipt receipt, Duration took) {
    if (plan.strategy() == DelayStrategy.IMMEDIATE
        && receipt.outcome() == PublishOutcome.UNCERTAIN) {
      if (receipt.cause() == Cause.EXCHANGE_REFUSED) {
        // Each message to that exchange closes the channel, and so fails messages to others.
        plan.destinations().forEach(each -> destinations.refused(each, receipt.detail()));
      } else if (receipt.cause() == Cause.NO_EXCHANGE) {
        plan.destinations().forEach(each -> destinations.missing(each, receipt.detail()));
      } else { // perhaps it was deleted: ask before the next message
        plan.destinations().forEach(destinations::forget);
      }
    }
    if (plan.strategy() == DelayStrategy.DELIVERY_TIME && receipt.cause() == Cause.NACKED) {
      setup.refusedByTime();
    }
    if (plan.temporaryQueue() != null) {
      temporaryQueues.sent(plan, receipt.outcome(), took);
    }
  }
}
