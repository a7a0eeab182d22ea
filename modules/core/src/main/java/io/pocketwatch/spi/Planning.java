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
 * Every step of a message but the sending, for a framework that publishes on channels of its own:
 *
 * <pre>{@code
 * Submission submission = planning.accept(message);        // once per send call
 * PublishPlan plan =                                     // once per attempt
 *     planning.prepare(submission, channel.getConnection());
 * channel.basicPublish(plan.exchange(), plan.routingKey(), ..., plan.properties(), body);
 * }</pre>
 *
 * Thread-safe. The framework sees to confirms, returns and closed channels. A plan is held for
 * certain only when its publish was confirmed and not returned.
 */
public interface Planning {
  /**
   * Pins what must stay the same however often the message is tried. It does no I/O.
   *
   * @throws InvalidMessageException if it can never be sent as it is
   */
  Submission accept(DelayedMessage message);

  /**
   * Publishes it on the publisher's own connection. Completes as {@link DelayedPublisher#publish}.
   */
  CompletableFuture<PublishReceipt> publish(Submission submission);

  /** Now, on the clock by which instants are judged. */
  Instant now();

  /**
   * Makes sure that the destination exists and is bound, declares the temporary queue if there is
   * one, and plans for what remains until the instant. The first message to a destination waits for
   * the broker's answer, at most {@code confirm-timeout}; later ones do not wait. So does the first
   * that the broker itself could hold ({@code DELIVERY_TIME}): for a probe of its connection.
   *
   * @param connection the one it will be published on
   * @throws InvalidMessageException if it cannot be sent as it is, naming the limit it breaks
   * @throws UnknownTargetException if its exchange or queue does not exist
   * @throws TopologyException if the broker refuses to bind it
   * @throws BrokerUnreachableException if the broker could not be asked, or there is no temporary
   *     queue for it now. Then {@code temporary-queues.max} are there, or an earlier attempt is not
   *     over
   * @throws IllegalStateException if the publisher is closed
   */
  PublishPlan prepare(Submission submission, Connection connection);

  /**
   * Plans a message once more whose temporary queue is declared, for what remains of its delay by
   * now. It takes the properties as they are now, which a framework may complete late. The plan
   * goes to the same queue. This does no I/O.
   *
   * @param prepared from {@link #prepare}, with a temporary queue
   * @param submission the one that was prepared, with other properties
   * @throws InvalidMessageException if it cannot be sent as it is now, naming the limit it breaks
   */
  PublishPlan again(PublishPlan prepared, Submission submission);

  /**
   * Looks after targets that somebody has declared anew. With the old one its binding to ours went,
   * and what is held for it would be unroutable. Thread-safe; every publisher can.
   */
  interface Targets {
    /**
     * Binds a target that was declared, unless {@code topology} says that somebody else does.
     * Routes with {@code isolation: destination} and temporary queues have further bindings for an
     * exchange, which the next message to it makes.
     *
     * <p>The future completes when it is bound. It fails with {@link UnknownTargetException} if the
     * target is not there yet, and with {@link TopologyException} if the broker refuses. It fails
     * with another exception if the broker could not be asked.
     *
     * @param exchange its name, or empty for a queue
     * @param queue the queue's name, if the exchange is empty
     */
    CompletableFuture<Void> declared(String exchange, String queue);
  }
}
