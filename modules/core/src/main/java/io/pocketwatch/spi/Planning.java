// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spi;

import com.rabbitmq.client.Connection;
import io.pocketwatch.BrokerUnreachableException;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.TopologyException;
import io.pocketwatch.UnknownTargetException;
import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.plan.Submission;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/**
 * All steps of publishing but the sending, for a framework that publishes on its own channels:
 *
 * <pre>{@code
 * Submission submission = planning.accept(message);        // once per send call
 * PublishPlan plan =                                     // once per attempt
 *     planning.prepare(submission, channel.getConnection());
 * channel.basicPublish(plan.exchange(), plan.routingKey(), ..., plan.properties(), body);
 * }</pre>
 *
 * Thread-safe. The framework sees to confirms, returns and closed channels. A message is safely
 * held only when its publish was confirmed and not returned.
 */
public interface Planning {
  /**
   * Fixes all that must stay the same however often the message is tried. Does no I/O.
   *
   * @throws InvalidMessageException if the message can never be sent as it is
   */
  Submission accept(DelayedMessage message);

  /** Publishes on the publisher's own connection; completes as {@link DelayedPublisher#publish}. */
  CompletableFuture<PublishReceipt> publish(Submission submission);

  /** The present time, by the clock that decides when a message is due. */
  Instant now();

  /**
   * Makes sure that the destination exists and is bound, declares the temporary queue if one is
   * needed, and plans the remaining delay. The first message to a destination waits for the
   * broker's answer, at most {@code confirm-timeout}; later ones do not wait. The first that {@code
   * DELIVERY_TIME} could hold also waits for a probe of its connection.
   *
   * @param connection the connection on which the message will be published
   * @throws InvalidMessageException if the message cannot be sent as it is, naming the limit
   * @throws UnknownTargetException if the target exchange or queue does not exist
   * @throws TopologyException if the broker refuses to bind the target
   * @throws BrokerUnreachableException if the broker could not be asked, or no temporary queue is
   *     free: {@code temporary-queues.max} is reached, or an earlier attempt is not over
   * @throws IllegalStateException if the publisher is closed
   */
  PublishPlan prepare(Submission submission, Connection connection);

  /**
   * Plans a message again once its temporary queue is declared, for the delay that now remains. The
   * plan has the present properties, which a framework may complete late, and goes to the same
   * queue. Does no I/O.
   *
   * @param prepared from {@link #prepare}, with a temporary queue
   * @param submission the submission that was prepared, with other properties
   * @throws InvalidMessageException if the message cannot be sent as it is now, naming the limit
   */
  PublishPlan again(PublishPlan prepared, Submission submission);

  /**
   * Binds targets that were deleted and declared anew. The old target's binding to our exchange is
   * gone, so messages held for it would be unroutable. Thread-safe; each publisher unwraps to one.
   */
  interface Targets {
    /**
     * Binds a target that was declared, unless {@code topology} leaves that to others. Routes with
     * {@code isolation: destination} and temporary queues need further bindings of an exchange,
     * which the next message to it makes.
     *
     * <p>The future completes when the target is bound. It fails with {@link
     * UnknownTargetException} if the target does not exist, and with {@link TopologyException} if
     * the broker refuses. Any other exception means that the broker could not be asked.
     *
     * @param exchange the exchange's name, or empty for a queue
     * @param queue the queue's name, if the exchange is empty
     */
    CompletableFuture<Void> declared(String exchange, String queue);
  }
}
