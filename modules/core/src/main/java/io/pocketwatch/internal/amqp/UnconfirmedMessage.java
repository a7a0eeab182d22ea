// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.amqp;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.internal.plan.PublishPlan;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way to the broker, until its outcome is known. The thread that takes it out of
 * the channel's {@link UnconfirmedMessages} ends it, so it ends once.
 */
public final class UnconfirmedMessage {
  private final PublishPlan plan;
  private final long since;
  private final long deadline;
  private final Consumer<PublishReceipt> whenEnded;
  private volatile @Nullable String returned;

  /** Times are the scheduler's; until the deadline the answer is awaited. */
  public UnconfirmedMessage(
      PublishPlan plan, long since, long deadline, Consumer<PublishReceipt> whenEnded) {
    this.plan = plan;
    this.since = since;
    this.deadline = deadline;
    this.whenEnded = whenEnded;
  }

  PublishPlan plan() {
    return plan;
  }

  byte[] body() {
    return plan.submission().message().body();
  }

  /**
   * The properties to write. In a native hold queue a TTL that ends late holds back the messages
   * behind it. So the time spent waiting for a turn is taken off.
   */
  BasicProperties propertiesAt(long now) {
    if (plan.strategy() != DelayStrategy.DELIVERY_TIME) {
      return plan.properties();
    }
    long waited = TimeUnit.NANOSECONDS.toMillis(now - since);
    return waited < 1 ? plan.properties() : plan.expiringSooner(waited).properties();
  }

  boolean pastDeadline(long now) {
    return now - deadline >= 0;
  }

  /** Notes that the broker returned the message; the confirm of it comes after that. */
  void returned(String why) {
    returned = why;
  }

  boolean wasReturned() {
    return returned != null;
  }

  void confirmed() {
    String why = returned;
    if (why == null) {
      end(PublishOutcome.CONFIRMED, Cause.NONE, "");
    } else {
      end(PublishOutcome.RETURNED, Cause.NO_ROUTE, why);
    }
  }

  void end(PublishOutcome outcome, Cause cause, String detail) {
    whenEnded.accept(plan.receipt(outcome, cause, detail));
  }
}
