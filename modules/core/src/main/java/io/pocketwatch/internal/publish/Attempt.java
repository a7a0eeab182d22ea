// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.plan.Submission;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One publish call with a place in flight, which is free again when its future has ended.
 *
 * @param planned when the plan was made
 * @param givenUp whether the wait for what it needs on the broker was given up
 */
record Attempt(
    Submission submission,
    PublishPlan plan,
    Instant planned,
    CompletableFuture<PublishReceipt> future,
    AtomicBoolean givenUp) {
  /** The shortest wait for which a message is planned again, to be held for less time. */
  private static final Duration WORTH_PLANNING_AGAIN = Duration.ofMillis(1);

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

  /**
   * The plan at the time of sending.
   *
   * @param byTime whether the present connection holds messages by their delivery time
   */
  PublishPlan upToDate(Instant now, DelayPlanner planner, boolean byTime) {
    if (plan.temporaryQueue() != null) {
      return plan.expiringAfter(Duration.between(now, plan.deliverAt()));
    }
    boolean held = plan.strategy() != DelayStrategy.IMMEDIATE;
    boolean old = Duration.between(planned, now).compareTo(WORTH_PLANNING_AGAIN) >= 0;
    boolean elsewhere = plan.strategy() == DelayStrategy.DELIVERY_TIME && !byTime;
    return held && old || elsewhere ? planner.planHeld(submission, now, byTime) : plan;
  }
}
