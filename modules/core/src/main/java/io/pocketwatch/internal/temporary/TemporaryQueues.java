// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.temporary;

import com.rabbitmq.client.AMQP;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.TopologyException;
import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.TemporaryQueueOptions;
import io.pocketwatch.internal.amqp.AdminChannels;
import io.pocketwatch.internal.amqp.NothingSentException;
import io.pocketwatch.internal.base.BrokerError;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.plan.DelayPlanner;
import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.setup.TopologyKeeper;
import io.pocketwatch.internal.temporary.TemporaryQueueUses.Use;
import io.pocketwatch.internal.topology.BindingSpec;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.QueueSpec;
import io.pocketwatch.internal.topology.TemporaryQueue;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queues that hold one message each: declared before it, deleted some time after it is due. A queue
 * that its process cannot delete, or has declared in vain, expires.
 */
public final class TemporaryQueues implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TemporaryQueues.class);

  /** After the due time a delete can destroy a message on its way, and yet report 0 messages. */
  private static final Duration CANCEL_MARGIN = Duration.ofSeconds(1);

  /** How long a connection must have lasted before its answer that a queue is empty counts. */
  private static final Duration SETTLED = Duration.ofSeconds(5);

  /** The longest time in which a healthy broker answers. */
  private static final Duration PROMPT = Duration.ofSeconds(1);

  private final AdminChannels admin;
  private final Names names;
  private final Duration linger;
  private final InstantSource clock;
  private final Supplier<Duration> uptime;
  private final TemporaryQueueUses uses;
  private final QueueNameFlush flush;

  /**
   * @param uptime how long the present connection has lasted
   */
  public TemporaryQueues(
      AdminChannels admin,
      HoldOptions hold,
      InstantSource clock,
      Supplier<Duration> uptime,
      Executor executor,
      Scheduler scheduler) {
    TemporaryQueueOptions options = hold.temporaryQueues();
    this.admin = admin;
    this.names = new Names(hold.namePrefix());
    this.linger = options.linger();
    this.clock = clock;
    this.uptime = uptime;
    this.uses = new TemporaryQueueUses(admin, options, uptime, executor, scheduler);
    String name = names.flushQueue(UUID.randomUUID() + "-");
    this.flush =
        new QueueNameFlush(admin, number -> QueueSpec.flushQueue(name + number), scheduler);
  }

  /**
   * Declares the queue for a planned message.
   *
   * @param givenUp whether nobody waits for it any more
   * @return completes when the queue will survive a crash of the broker; may fail with {@link
   *     NothingSentException}
   * @throws NothingSentException if our limit of queues or the broker's is reached, the broker
   *     could not be asked, or an earlier attempt is not over
   * @throws InvalidMessageException if a temporary queue already holds a message with its id
   * @throws TopologyException if the broker refuses the queue, and the message can wait in its row
   */
  public CompletableFuture<Void> declare(PublishPlan plan, BooleanSupplier givenUp) {
    requireWanted(givenUp);
    TemporaryQueue temporary = temporary(plan);
    String queue = name(plan);
    if (!temporary.replacing() && uses.is(queue, Use.HELD) && isFree(queue)) {
      uses.forget(queue);
    }
    Use before = uses.reserve(plan.id(), queue, temporary.replacing());
    try {
      return make(temporary, before != null, givenUp)
          .exceptionally(
              e -> {
                throw undeclared(plan, e);
              });
    } catch (NothingSentException e) {
      uses.set(queue, before); // nothing was declared
      throw e;
    } catch (IOException | TimeoutException e) {
      if (BrokerError.refused(e)) {
        uses.forget(queue);
        throw refused(plan, e);
      }
      throw undeclared(plan, e);
    } catch (RuntimeException | Error e) { // also if no thread is left: its place must be freed
      uses.unanswered(queue);
      throw e;
    }
  }

  /**
   * Declares the queue anew. An earlier attempt that could not send may have left one, with a TTL
   * that is too long by now.
   *
   * @param again whether it may hold this very message, or an earlier copy to be replaced
   * @param givenUp whether the caller no longer waits: the queue may then be another process's,
   *     with its message
   * @return completes when the queue will survive a crash of the broker; may fail with an {@link
   *     IOException}
   * @throws NothingSentException if the queue may hold a message, or the caller gave up
   * @throws IOException also if the queue holds a message that is not to be replaced
   */
  private CompletableFuture<Void> make(
      TemporaryQueue temporary, boolean again, BooleanSupplier givenUp)
      throws IOException, TimeoutException {
    QueueSpec queue = temporary.queue();
    if (again) {
      delete(queue, givenUp);
    }
    declare(temporary, givenUp);
    CompletableFuture<Void> safe =
        queue.quorum() ? flush.write() : CompletableFuture.completedFuture(null);
    BindingSpec binding = temporary.binding();
    if (binding != null) {
      admin.call(channel -> TopologyKeeper.bind(channel, binding));
    }
    return safe;
  }

  private void declare(TemporaryQueue temporary, BooleanSupplier givenUp)
      throws IOException, TimeoutException {
    QueueSpec queue = temporary.queue();
    try {
      admin.call(channel -> TopologyKeeper.declare(channel, queue));
    } catch (IOException e) {
      if (BrokerError.code(e) != AMQP.PRECONDITION_FAILED
          || BrokerError.limitReached(ErrorWords.of(e)) // and the queue does not exist
          || !temporary.replacing() && holdsMessage(queue.name())) {
        throw e;
      }
      delete(queue, givenUp);
      admin.call(channel -> TopologyKeeper.declare(channel, queue));
    }
  }

  private void delete(QueueSpec queue, BooleanSupplier givenUp)
      throws IOException, TimeoutException {
    admin.call(
        channel -> { // check again: the wait for a channel may have been long
          requireWanted(givenUp);
          return channel.queueDelete(queue.name());
        });
  }

  private static void requireWanted(BooleanSupplier givenUp) {
    if (givenUp.getAsBoolean()) {
      throw new NothingSentException("it was given up before its temporary queue was declared");
    }
  }

  private boolean holdsMessage(String queue) throws IOException, TimeoutException {
    if (admin.holdsMessage(queue)) {
      return true;
    }
    if (uptime.get().compareTo(SETTLED) < 0) {
      throw new NothingSentException(
          "an earlier attempt has left its temporary queue, which the broker cannot count yet;"
              + " nothing was sent");
    }
    return false;
  }

  /** Mostly for a missing permission, which can be granted while a row waits. */
  private static RuntimeException refused(PublishPlan plan, Exception e) {
    if (BrokerError.limitReached(ErrorWords.of(e))) {
      return new NothingSentException(
          Cause.NO_ROOM,
          "there is no place for its temporary queue: %s; nothing was sent"
              .formatted(ErrorWords.of(e)));
    }
    String text = "the broker refused its temporary queue: " + ErrorWords.of(e);
    return temporary(plan).replacing()
        ? new TopologyException(text, e)
        : new InvalidMessageException(plan.id(), text, e);
  }

  /**
   * Whether the queue is gone or empty. The broker lost it with its disk, or by a policy that
   * expires queues. Or its message was refused or rolled back, and may be sent again.
   */
  private boolean isFree(String queue) {
    try {
      return !admin.holdsMessage(queue) && uptime.get().compareTo(SETTLED) >= 0;
    } catch (IOException | TimeoutException e) {
      return BrokerError.code(e) == BrokerError.NOT_FOUND;
    }
  }

  private NothingSentException undeclared(PublishPlan plan, Throwable e) {
    unanswered(plan);
    return new NothingSentException(
        "cannot declare a temporary queue: " + ErrorWords.of(e) + "; nothing was sent", e);
  }

  /**
   * Plans the deletion of the queue, now that the outcome of its message is known.
   *
   * @param took from the message's submission to this outcome
   */
  public void sent(PublishPlan plan, PublishOutcome outcome, Duration took) {
    if (outcome == PublishOutcome.CONFIRMED) {
      used(plan, Use.HELD);
    } else if (outcome == PublishOutcome.UNCERTAIN) {
      used(plan, Use.UNSURE);
    } else if (outcome == PublishOutcome.REJECTED && took.compareTo(PROMPT) > 0) {
      unanswered(plan);
    } else {
      uses.forget(name(plan));
    }
  }

  /** As {@link #sent}, for a queue whose message a framework sends. */
  public void handedOut(PublishPlan plan) {
    used(plan, Use.HELD);
  }

  private void used(PublishPlan plan, Use use) {
    Instant end = plan.deliverAt().plus(linger);
    uses.used(name(plan), use, Duration.between(clock.instant(), end));
  }

  /** Notes that the queue may exist, but got no message; or the broker was slow to refuse it. */
  public void unanswered(PublishPlan plan) {
    uses.unanswered(name(plan));
  }

  private static TemporaryQueue temporary(PublishPlan plan) {
    return Objects.requireNonNull(plan.temporaryQueue(), "temporaryQueue");
  }

  private static String name(PublishPlan plan) {
    return temporary(plan).queue().name();
  }

  /** Deletes the queue with its message, if there is time for that. */
  public ChangeOutcome cancel(String id, Instant asked) {
    if (asked.isAfter(DelayLimits.LATEST)) {
      return ChangeOutcome.UNKNOWN; // no message is ever held for so long
    }
    Instant deliverAt =
        DelayPlanner.wholeMillis(asked.isBefore(Instant.EPOCH) ? Instant.EPOCH : asked);
    if (clock.instant().isAfter(deliverAt.minus(CANCEL_MARGIN))) {
      return ChangeOutcome.TOO_LATE;
    }
    String queue = names.temporaryQueue(TemporaryQueue.token(id, deliverAt));
    try {
      if (admin.call(channel -> channel.queueDeclarePassive(queue)).getMessageCount() == 0) {
        return ChangeOutcome.UNCERTAIN; // its message is on the way, or no leader counts it
      }
      int removed = admin.call(channel -> channel.queueDelete(queue)).getMessageCount();
      uses.forget(queue);
      // The answer may be late. A message that fell due meanwhile may be on its way, even if it was
      // counted: the broker counts first and then deletes.
      return removed > 0 && clock.instant().isBefore(deliverAt)
          ? ChangeOutcome.DONE
          : ChangeOutcome.UNCERTAIN;
    } catch (IOException | TimeoutException e) {
      if (BrokerError.code(e) == BrokerError.NOT_FOUND) {
        uses.forget(queue);
        return ChangeOutcome.UNKNOWN;
      }
      LOG.warn("The broker does not answer whether message {} is cancelled", id, e);
      return ChangeOutcome.UNCERTAIN;
    }
  }

  /** Forgets the queues, which then expire. */
  @Override
  public void close() {
    uses.close();
    flush.close();
  }
}
