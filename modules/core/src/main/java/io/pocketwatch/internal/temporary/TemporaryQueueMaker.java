// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.temporary;

import com.rabbitmq.client.AMQP;
import io.pocketwatch.internal.amqp.AdminChannels;
import io.pocketwatch.internal.amqp.BrokerError;
import io.pocketwatch.internal.amqp.MessageCount;
import io.pocketwatch.internal.amqp.NothingSentException;
import io.pocketwatch.internal.setup.TopologyKeeper;
import io.pocketwatch.internal.topology.BindingSpec;
import io.pocketwatch.internal.topology.QueueSpec;
import io.pocketwatch.internal.topology.TemporaryQueue;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Declares temporary queues on the broker. An attempt that could not send may have left one behind,
 * and its TTL is that of a moment that has passed.
 */
final class TemporaryQueueMaker {
  /** How long a broker must have been there, to be believed that a queue is empty. */
  static final Duration SETTLED = Duration.ofSeconds(5);

  private final AdminChannels admin;
  private final QueueNameWriter names;
  private final Supplier<Duration> upFor;

  /**
   * @param upFor for how long the broker has been there without a break
   */
  TemporaryQueueMaker(AdminChannels admin, QueueNameWriter names, Supplier<Duration> upFor) {
    this.admin = admin;
    this.names = names;
    this.upFor = upFor;
  }

  /**
   * Declares one.
   *
   * @param again whether this process has tried before; what it may hold is this very message then,
   *     or an earlier copy that makes way
   * @param givenUp whether nobody waits for it any more: from then on the one there is may be that
   *     of another process, with its message
   * @return done when the broker will still know it after its death; may fail with an {@link
   *     IOException}
   * @throws NothingSentException if there is one that may hold a message or not, or it was given up
   * @throws IOException also if there is one that holds a message, and it is not to be replaced
   */
  CompletableFuture<Void> make(TemporaryQueue temporary, boolean again, BooleanSupplier givenUp)
      throws IOException, TimeoutException {
    QueueSpec queue = temporary.queue();
    if (again) {
      delete(queue, givenUp);
    }
    CompletableFuture<Void> safe = CompletableFuture.completedFuture(null);
    if (queue.quorum()) {
      safe = names.declare(() -> declare(temporary, givenUp));
    } else {
      declare(temporary, givenUp);
    }
    BindingSpec binding = temporary.binding();
    if (binding != null) {
      admin.call(channel -> TopologyKeeper.bind(channel, binding));
    }
    return safe;
  }

  private void delete(QueueSpec queue, BooleanSupplier givenUp)
      throws IOException, TimeoutException {
    admin.call(
        channel -> { // which may have been waited for
          requireWanted(givenUp);
          return channel.queueDelete(queue.name());
        });
  }

  /**
   * @throws NothingSentException if nobody waits for it any more
   */
  static void requireWanted(BooleanSupplier givenUp) {
    if (givenUp.getAsBoolean()) {
      throw new NothingSentException("it was given up before its temporary queue was declared");
    }
  }

  private void declare(TemporaryQueue temporary, BooleanSupplier givenUp)
      throws IOException, TimeoutException {
    QueueSpec queue = temporary.queue();
    try {
      admin.call(channel -> TopologyKeeper.declare(channel, queue));
    } catch (IOException e) {
      if (BrokerError.code(e) != AMQP.PRECONDITION_FAILED
          || !temporary.replacing() && holdsMessage(queue.name())) {
        throw e;
      }
      delete(queue, givenUp);
      admin.call(channel -> TopologyKeeper.declare(channel, queue));
    }
  }

  private boolean holdsMessage(String queue) throws IOException, TimeoutException {
    if (admin.call(channel -> MessageCount.isPositive(channel, queue))) {
      return true;
    }
    if (upFor.get().compareTo(SETTLED) < 0) {
      throw new NothingSentException(
          "another process has left its temporary queue, which the broker cannot count yet;"
              + " nothing was sent");
    }
    return false;
  }
}
