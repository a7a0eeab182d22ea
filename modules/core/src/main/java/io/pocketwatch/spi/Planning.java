// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spi;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import io.pocketwatch.BrokerUnreachableException;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.TopologyException;
import io.pocketwatch.UnknownTargetException;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.plan.Submission;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Every step of a message but the sending, for a framework that publishes on channels of its own:
 *
 * <pre>{@code
 * Submission submission = planning.accept(message);        // once per send call
 * if (planning.reasonToStore(submission) != null) {
 *   planning.store(submission).join();
 * } else {
 *   PublishPlan plan =                                   // once per attempt
 *       planning.prepare(submission, channel.getConnection());
 *   channel.basicPublish(plan.exchange(), plan.routingKey(), ..., plan.properties(), body);
 * }
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

  /** Why the message gets a row in the store, or null if it goes to the broker. It does no I/O. */
  @Nullable String reasonToStore(Submission submission);

  /**
   * Stores a message that gets a row. Completes as {@link DelayedPublisher#publish} does, when the
   * database has committed or refused it.
   *
   * @throws IllegalStateException if there is no store
   */
  CompletableFuture<PublishReceipt> store(Submission submission);

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

  /** Puts received messages back on hold. Thread-safe; every publisher can. */
  interface Holding {
    /**
     * Publishes a received message once more, to its queue alone. It arrives there when that
     * instant has come, or earlier where no hold lasts so long. It keeps its id, route, generation
     * and {@code deliverAt}, and its target in headers from which the guard restores it.
     * Dead-letter headers, {@code expiration} and other queues' copies are left out.
     *
     * <p>The future ends as that of {@link DelayedPublisher#publish}. Until it has ended with
     * {@link PublishReceipt#confirmed}, the received copy is the only one and must not be
     * acknowledged.
     *
     * @param queue where it was consumed
     * @param until on the clock of {@link #now}
     */
    CompletableFuture<PublishReceipt> holdAgain(String queue, Delivery received, Instant until);

    /** Now, on the publisher's clock: the store's, if it has one. */
    Instant now();

    /** Which retries a message has. */
    DelayRoutes routes();
  }

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
