// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.amqp;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.Headers;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.config.HoldQueues.HoldQueueType;
import io.pocketwatch.internal.base.BrokerError;
import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.plan.PublishPlan;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A channel in confirm mode, and its messages without an answer. Any number of threads may publish;
 * they take turns.
 */
final class ConfirmChannel {
  private static final String REFUSED = "the broker refused it (basic.nack)";

  /** On losing a classic queue's node the broker nacks also what that queue may have taken. */
  private static final String REFUSED_OR_GONE =
      REFUSED + ", or lost the node of its classic hold queue, which may have taken it";

  private static final Logger LOG = LoggerFactory.getLogger(ConfirmChannel.class);

  private final Channel channel;
  private final Scheduler scheduler;
  private final ReentrantLock turn = new ReentrantLock();
  private final UnconfirmedMessages unanswered = new UnconfirmedMessages();
  private volatile long writingSince;

  private ConfirmChannel(Channel channel, Scheduler scheduler) {
    this.channel = channel;
    this.scheduler = scheduler;
    channel.addConfirmListener(
        (number, multiple) -> take(number, multiple, UnconfirmedMessage::confirmed),
        (number, multiple) -> take(number, multiple, ConfirmChannel::nacked));
    channel.addReturnListener(this::returned);
    channel.addShutdownListener(this::lost);
  }

  static ConfirmChannel open(Connection connection, Scheduler scheduler) throws IOException {
    Channel channel = Channels.open(connection);
    ConfirmChannel confirmed = new ConfirmChannel(channel, scheduler);
    try {
      channel.confirmSelect();
    } catch (IOException | RuntimeException | Error e) {
      confirmed.close();
      throw e;
    }
    return confirmed;
  }

  boolean isOpen() {
    return channel.isOpen();
  }

  /** Sends the message, or ends it; never throws. */
  void publish(UnconfirmedMessage message) {
    turn.lock();
    try {
      send(channel.getNextPublishSeqNo(), message);
    } finally {
      writingSince = 0;
      turn.unlock();
    }
  }

  private void send(long number, UnconfirmedMessage message) {
    PublishPlan plan = message.plan();
    unanswered.add(number, message);
    writingSince = scheduler.nanoTime() | 1; // never zero, which means that no thread is writing
    try {
      channel.basicPublish(
          plan.exchange(),
          plan.routingKey(),
          plan.mandatory(),
          message.propertiesAt(writingSince),
          message.body());
    } catch (AlreadyClosedException e) {
      end(
          number,
          PublishOutcome.REJECTED,
          Cause.CHANNEL_LOST,
          "the channel was closed, nothing was sent: " + ErrorWords.of(e));
    } catch (IOException
        | RuntimeException
        | Error e) { // no memory, or a listener of the user's failed
      // It is unknown how much was written, and so which number the broker counts next.
      try {
        end(
            number,
            PublishOutcome.UNCERTAIN,
            lostBy(e, plan),
            "sending failed half-way: " + ErrorWords.of(e));
      } finally {
        close();
      }
    }
  }

  /** Ends messages whose deadline has passed. A later answer is ignored. */
  void expire(long now, String silence) {
    each(
        unanswered.removeIf(message -> message.pastDeadline(now)),
        message -> message.end(PublishOutcome.UNCERTAIN, Cause.NO_ANSWER, silence));
  }

  boolean hasUnanswered() {
    return !unanswered.isEmpty();
  }

  /** Whether a thread has been writing to the socket for longer than that. */
  boolean stuck(long now, long nanos) {
    long since = writingSince;
    return since != 0 && now - since > nanos;
  }

  private void take(long number, boolean multiple, Consumer<UnconfirmedMessage> verdict) {
    if (!multiple) {
      UnconfirmedMessage message = unanswered.remove(number);
      if (message != null) { // null if it timed out before
        verdict.accept(message);
      }
      return;
    }
    each(unanswered.removeUpTo(number), verdict);
  }

  /** Ends each message, also if ending another one fails. */
  private static void each(List<UnconfirmedMessage> taken, Consumer<UnconfirmedMessage> verdict) {
    for (UnconfirmedMessage message : taken) {
      try {
        verdict.accept(message);
      } catch (RuntimeException | Error e) {
        LOG.error("Ending a message failed", e);
      }
    }
  }

  private static void nacked(UnconfirmedMessage message) {
    if (message.plan().holdType() == HoldQueueType.CLASSIC) {
      message.end(PublishOutcome.UNCERTAIN, Cause.NACKED, REFUSED_OR_GONE);
    } else {
      message.end(PublishOutcome.REJECTED, Cause.NACKED, REFUSED);
    }
  }

  private void returned(Return returned) {
    String id = Headers.id(returned.getProperties());
    String why = returned.getReplyCode() + " " + returned.getReplyText();
    UnconfirmedMessage message =
        unanswered.find(each -> !each.wasReturned() && isThe(returned, each.plan(), id));
    if (message != null) {
      message.returned(why);
    }
  }

  /** Compares the target too: messages with one id may be in flight to two targets. */
  private static boolean isThe(Return returned, PublishPlan plan, @Nullable String id) {
    return plan.id().equals(id)
        && plan.exchange().equals(returned.getExchange())
        && plan.routingKey().equals(returned.getRoutingKey());
  }

  private void lost(ShutdownSignalException signal) {
    String why = "lost before the broker answered: " + ErrorWords.of(signal);
    endUnanswered(plan -> lostBy(signal, plan), why);
  }

  private static Cause lostBy(Throwable error, PublishPlan plan) {
    if (BrokerError.hasNoExchange(error, plan.exchange())) {
      return Cause.NO_EXCHANGE;
    }
    return BrokerError.refusesPublishing(error, plan.exchange())
        ? Cause.EXCHANGE_REFUSED
        : Cause.CHANNEL_LOST;
  }

  /** Ends the messages without an answer when the channel is dead, for whatever reason. */
  void endUnanswered(String why) {
    endUnanswered(plan -> Cause.CHANNEL_LOST, why);
  }

  private void endUnanswered(Function<PublishPlan, Cause> cause, String why) {
    each(
        unanswered.removeUpTo(Long.MAX_VALUE),
        message -> message.end(PublishOutcome.UNCERTAIN, cause.apply(message.plan()), why));
  }

  /** Closes the channel; messages without an answer end as with a lost channel. */
  void close() {
    try {
      channel.abort();
    } catch (IOException e) {
      LOG.debug("Aborting a broken channel", e);
    }
  }

  private void end(long number, PublishOutcome outcome, Cause cause, String why) {
    UnconfirmedMessage message = unanswered.remove(number);
    if (message != null) {
      message.end(outcome, cause, why);
    }
  }
}
