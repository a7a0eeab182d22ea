// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import io.pocketwatch.Headers;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardDecision;
import io.pocketwatch.guard.GuardDecision.Deliver;
import io.pocketwatch.guard.GuardDecision.HoldAgain;
import io.pocketwatch.guard.GuardDecision.Skip;
import io.pocketwatch.guard.GuardDecision.Wait;
import io.pocketwatch.guard.HandlingEnd;
import io.pocketwatch.guard.Tracked;
import io.pocketwatch.store.Handling;
import io.pocketwatch.store.MessageKey;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactoryUtils;
import org.springframework.amqp.rabbit.connection.RabbitUtils;

/**
 * Takes messages for a template that receives by itself. As Spring acknowledges what it hands out,
 * so is it settled: when it is taken, or with the transaction that it is taken in. What is not to
 * be handled is passed over; where the store does not answer, nothing is taken.
 */
public final class GuardedReceive {
  private final DeliveryGuard guard;
  private final String queue;
  private final Channel channel;
  private final Source source;
  private final Answers answers;

  private GuardedReceive(
      DeliveryGuard guard, String queue, Channel channel, Source source, Answers answers) {
    this.guard = guard;
    this.queue = queue;
    this.channel = channel;
    this.source = source;
    this.answers = answers;
  }

  /**
   * Takes the next message that is to be handled.
   *
   * @param consumerArguments for the broker, where it is waited for
   * @param timeoutMillis for how long to wait for it; for ever if negative; null to only look
   * @param transacted whose transaction the message is acknowledged in; null if the channel is not
   *     transacted
   * @param locallyTransacted whether that transaction is the template's own, for this one call
   * @return null if there is none
   * @throws AmqpException if the store does not answer, or a message could not be held again; it is
   *     back in its queue then
   */
  public static @Nullable Delivery take(
      DeliveryGuard guard,
      Channel channel,
      String queue,
      Map<String, Object> consumerArguments,
      @Nullable Long timeoutMillis,
      @Nullable ConnectionFactory transacted,
      boolean locallyTransacted)
      throws IOException {
    Answers answers = new Answers(channel, transacted, locallyTransacted);
    try (Source source =
        timeoutMillis == null
            ? new Looking(channel, queue)
            : new Consuming(channel, queue, consumerArguments, timeoutMillis)) {
      return new GuardedReceive(guard, queue, channel, source, answers).take();
    }
  }

  private @Nullable Delivery take() throws IOException {
    for (Delivery next = source.next(); next != null; next = source.next()) {
      if (taken(next)) {
        return next;
      }
    }
    return null;
  }

  private boolean taken(Delivery next) throws IOException {
    BasicProperties properties = next.getProperties();
    Map<String, Object> headers = properties.getHeaders();
    if (headers == null || !headers.containsKey(Headers.ID)) {
      return accepted(next);
    }
    Tracked tracked = Tracked.of(properties);
    MessageKey key = tracked == null ? null : tracked.key();
    GuardDecision decision = guard.decide(queue, properties, Duration.ZERO, channel::isOpen);
    if (decision instanceof Deliver deliver) {
      Handling handling = deliver.handling();
      return handling == null ? accepted(next) : settled(next, handling);
    }
    if (decision instanceof Skip skip) {
      if (key != null) {
        guard.tell(to -> to.skipped(guard.consumer(queue), key, skip.verdict()));
      }
      answers.accept(next);
    } else if (decision instanceof HoldAgain again) {
      holdAgain(next, key, again);
    } else if (decision instanceof Wait wait) {
      throw returned(next, "the store does not answer: " + wait.cause(), wait.cause());
    }
    return false;
  }

  private boolean accepted(Delivery taken) throws IOException {
    source.stop(); // or the broker would send the next one
    answers.accept(taken);
    return true;
  }

  private boolean settled(Delivery taken, Handling handling) throws IOException {
    if (answers.later()) {
      InHand inHand =
          new InHand(
              guard,
              handling.consumer(),
              taken.getEnvelope().getDeliveryTag(),
              handling.key(),
              handling,
              channel::isOpen);
      if (!Transactions.active()) {
        inHand.abandon();
        throw returned(
            taken, "it would be acknowledged in a transaction whose end nobody tells of", null);
      }
      Transactions.settleAfterCompletion(List.of(inHand));
      return accepted(taken);
    }
    HandlingEnd end = guard.settle(handling, channel::isOpen);
    if (end != HandlingEnd.APPLIED) {
      throw returned(taken, "it could not be settled: " + end, null);
    }
    guard.tell(to -> to.settled(handling.consumer(), handling.key()));
    return accepted(taken);
  }

  private void holdAgain(Delivery early, @Nullable MessageKey key, HoldAgain again)
      throws IOException {
    Optional<String> problem =
        guard.holdAgain(queue, early, again.until(), Duration.ZERO, channel::isOpen);
    if (problem.isPresent()) {
      throw returned(early, "it came early, and is not held again: " + problem.get(), null);
    }
    guard.tell(to -> to.heldAgain(guard.consumer(queue), key, again.reason(), again.until()));
    answers.accept(early);
  }

  private AmqpException returned(Delivery message, String why, @Nullable Throwable cause)
      throws IOException {
    source.stop();
    answers.giveBack(message);
    String id = String.valueOf(message.getProperties().getHeaders().get(Headers.ID));
    return new AmqpException(
        "message '%s' of queue '%s' is not taken, %s".formatted(id, queue, why), cause);
  }

  /** Where the messages come from. */
  interface Source extends AutoCloseable {
    /** Null if there is none, or none in time. */
    @Nullable Delivery next() throws IOException;

    /** Has the broker send no more. */
    void stop() throws IOException;

    @Override
    void close() throws IOException;
  }

  /** How the template acknowledges. */
  private record Answers(
      Channel channel, @Nullable ConnectionFactory transacted, boolean locallyTransacted) {
    /** Whether the transaction decides. */
    boolean later() {
      return transacted != null && !locallyTransacted;
    }

    void accept(Delivery message) throws IOException {
      long tag = message.getEnvelope().getDeliveryTag();
      if (transacted != null && !locallyTransacted) {
        ConnectionFactoryUtils.registerDeliveryTag(transacted, channel, tag);
      } else {
        channel.basicAck(tag, false);
        commit();
      }
    }

    /** In a transaction of others by its rollback, which the exception brings about. */
    void giveBack(Delivery message) throws IOException {
      if (later()) {
        accept(message);
      } else {
        channel.basicNack(message.getEnvelope().getDeliveryTag(), false, true);
        commit();
      }
    }

    private void commit() {
      if (locallyTransacted) {
        RabbitUtils.commitIfNecessary(channel);
      }
    }
  }
}
