// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import com.rabbitmq.client.Connection;
import io.pocketwatch.BrokerUnreachableException;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.PocketwatchException;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.PublisherOptions;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.internal.setup.KnownBroker;
import io.pocketwatch.spi.Planning;
import io.pocketwatch.spi.PublisherSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;

/** The steps of publishing on the calling thread, for frameworks that send by themselves. */
record FrameworkPlanning(
    PublisherSettings settings,
    KnownBroker broker,
    PublishPipeline pipeline,
    Prerequisites prerequisites,
    Scheduler scheduler)
    implements Planning {
  @Override
  public Submission accept(DelayedMessage message) {
    return pipeline.accept(message);
  }

  @Override
  public CompletableFuture<PublishReceipt> publish(Submission submission) {
    return pipeline.start(submission);
  }

  @Override
  public Instant now() {
    return settings.clock().instant();
  }

  @Override
  public PublishPlan prepare(Submission submission, Connection connection) {
    await(prerequisites.firstConnection(), PublishPipeline.notConnectedInTime(options()));
    Instant planned = now();
    PublishPlan plan = broker.planner().plan(submission, planned, true);
    if (!prerequisites.link().everConnected()) {
      throw new BrokerUnreachableException(
          "the topology was not declared or checked yet: " + prerequisites.link().whyDown());
    }
    // Only a message that DELIVERY_TIME could hold waits for a probe of its connection.
    boolean byTime =
        plan.strategy() == DelayStrategy.DELIVERY_TIME
            && prerequisites.setup().holdsByTime(connection);
    if (plan.strategy() == DelayStrategy.DELIVERY_TIME && !byTime) {
      planned = now();
      plan = broker.planner().planHeld(submission, planned, false);
    }
    Attempt attempt = new Attempt(submission, plan, planned, new CompletableFuture<>());
    CompletableFuture<Void> ensured = prerequisites.ensure(attempt);
    try {
      await(ensured, PublishPipeline.notEnsuredInTime(options()));
    } finally {
      if (!ensured.isDone()) {
        prerequisites.giveUp(attempt, ensured);
      }
    }
    if (plan.temporaryQueue() != null) {
      prerequisites.temporaryQueues().handedOut(plan); // its sender gets the answer
    }
    return attempt.upToDate(now(), broker.planner(), byTime);
  }

  private void await(CompletableFuture<Void> future, String late) {
    try {
      scheduler.await(future, options().confirmTimeout());
    } catch (ExecutionException e) {
      throw failed(e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException e) {
      throw new BrokerUnreachableException(late, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BrokerUnreachableException("interrupted, nothing was sent", e);
    }
  }

  private static RuntimeException failed(Throwable cause) {
    if (cause instanceof PocketwatchException known) {
      return known;
    }
    return cause instanceof RejectedExecutionException
        ? PublishPipeline.closed(cause)
        : new BrokerUnreachableException(ErrorWords.of(cause), cause);
  }

  private PublisherOptions options() {
    return settings.routes().publisher();
  }

  @Override
  public PublishPlan again(PublishPlan prepared, Submission submission) {
    Instant now = now();
    DelayPlanner planner = broker.planner();
    return prepared
        .withProperties(planner.planHeld(submission, now, false).properties())
        .expiringAfter(Duration.between(now, submission.deliverAt()));
  }
}
