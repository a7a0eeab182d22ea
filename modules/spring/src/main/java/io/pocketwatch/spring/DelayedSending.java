// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Return;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.Headers;
import io.pocketwatch.PocketwatchException;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublisherEvent;
import io.pocketwatch.handoff.RowPlanning;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.SafeCalls;
import io.pocketwatch.internal.plan.DeliveryTime;
import io.pocketwatch.internal.plan.PublishPlan;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.spi.Planning;
import io.pocketwatch.spring.listener.ReceivedDelays;
import io.pocketwatch.tracking.TrackedPublisher;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.core.ReturnedMessage;
import org.springframework.amqp.rabbit.connection.CorrelationData;

/**
 * What a template does with a message before Spring sees it, and where Spring would publish it:
 *
 * <ol>
 *   <li>{@link #identify}, once per send call: does it ask for a delay, and is it stored or held?
 *   <li>{@link #store}, or {@link #publish} on the channel that Spring chose, once per attempt.
 * </ol>
 */
final class DelayedSending {
  private final DelayedPublisher publisher;
  private final Planning planning;
  private final PocketwatchListener listener;
  private final @Nullable RowPlanning rows;
  private @Nullable TransactionJoin transactions;

  DelayedSending(DelayedPublisher publisher) {
    this.publisher = publisher;
    this.planning = publisher.unwrap(Planning.class);
    this.listener = publisher.unwrap(PocketwatchListener.class);
    this.rows =
        publisher instanceof TrackedPublisher tracked ? tracked.unwrap(RowPlanning.class) : null;
  }

  void transactions(TransactionJoin transactions) {
    this.transactions = transactions;
  }

  boolean joinsTransactions() {
    return transactions != null;
  }

  DelayedPublisher publisher() {
    return publisher;
  }

  boolean delays(String exchange, String routingKey, Message message) {
    return DelayRequest.of(exchange, routingKey, message, publisher.routes()) != null;
  }

  /** Decides whether a message is delayed or stored; each attempt keeps the id and the instant. */
  IdentifiedMessage identify(
      String exchange,
      String routingKey,
      Message message,
      @Nullable CorrelationData correlationData) {
    try {
      DelayedMessage asked = DelayRequest.of(exchange, routingKey, message, publisher.routes());
      if (asked == null) {
        return new IdentifiedMessage(message, null, false, correlationData);
      }
      Submission submission = planning.accept(asked);
      boolean stored = rows != null && rows.reasonToStore(submission) != null;
      return new IdentifiedMessage(message, submission, stored, correlationData);
    } catch (PocketwatchException e) {
      throw new DelayedSendException(ErrorWords.of(e), e);
    }
  }

  /**
   * Stores the message: in the caller's transaction if there is one, else before it returns.
   *
   * @param outcome receives null once the message is stored, else the reason why it is not
   * @throws DelayedSendException if it is not stored, after {@code outcome} has received the reason
   */
  void store(
      Submission submission, BasicProperties properties, Consumer<@Nullable String> outcome) {
    Consumer<@Nullable String> end =
        problem -> {
          if (problem == null) {
            tellSent(submission, DelayStrategy.STORE);
          }
          outcome.accept(problem);
        };
    Submission complete = submission.withProperties(withDelay(submission, properties));
    try {
      if (transactions != null && transactions.active()) {
        transactions.publish(identified(complete), end);
        return;
      }
      PublishReceipt receipt = answer(complete);
      if (receipt.outcome() != PublishOutcome.CONFIRMED) {
        throw new DelayedSendException(
            "message %s is not stored (%s): %s"
                .formatted(receipt.id(), receipt.outcome(), receipt.detail()));
      }
    } catch (DelayedSendException e) {
      throw ended(end, e);
    } catch (RuntimeException e) { // of the pool, say: the sender waits for the outcome
      throw ended(end, new DelayedSendException(ErrorWords.of(e), e));
    }
    end.accept(null);
  }

  /** Waits for the database, but not for ever: this may be the thread that completes the future. */
  private PublishReceipt answer(Submission submission) {
    Duration patience = publisher.routes().publisher().confirmTimeout().multipliedBy(2);
    try {
      return Objects.requireNonNull(rows)
          .store(submission)
          .get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new DelayedSendException(ErrorWords.of(cause), cause);
    } catch (TimeoutException e) {
      throw new DelayedSendException(
          "message %s: UNCERTAIN, the store did not answer within %s s"
              .formatted(submission.id(), patience.toSeconds()),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DelayedSendException(
          "message " + submission.id() + ": UNCERTAIN, interrupted while it was stored", e);
    }
  }

  private static DelayedSendException ended(
      Consumer<@Nullable String> end, DelayedSendException problem) {
    end.accept(ErrorWords.of(problem));
    return problem;
  }

  private static DelayedMessage identified(Submission submission) {
    return submission
        .message()
        .id(submission.id())
        .route(submission.route().name())
        .deliverAt(submission.deliverAt());
  }

  /**
   * Checks that the message can be published, before Spring registers it for a confirm.
   *
   * @throws DelayedSendException if it cannot be
   */
  void prepare(
      Channel channel,
      IdentifiedMessage message,
      Submission submission,
      BasicProperties properties) {
    plan(channel, message, submission.withProperties(withDelay(submission, properties)));
  }

  /**
   * Publishes a message to its hold, or straight to its exchange if it is due. A message for a hold
   * queue is always mandatory: nothing else would report that the queue is missing.
   */
  void publish(
      Channel channel,
      IdentifiedMessage message,
      Submission submission,
      boolean mandatory,
      BasicProperties properties)
      throws IOException {
    PublishPlan plan =
        plan(channel, message, submission.withProperties(withDelay(submission, properties)));
    channel.basicPublish(
        plan.exchange(),
        plan.routingKey(),
        plan.mandatory() && (mandatory || plan.strategy() != DelayStrategy.IMMEDIATE),
        plan.properties(),
        message.getBody());
    tellSent(submission, plan.strategy());
  }

  private void tellSent(Submission submission, DelayStrategy strategy) {
    SafeCalls.tell(
        () ->
            listener.onEvent(
                new PublisherEvent.Sent(
                    submission.id(), submission.route().name(), strategy, submission.deliverAt())));
  }

  private PublishPlan plan(Channel channel, IdentifiedMessage message, Submission submission) {
    try {
      PublishPlan earlier = message.temporary();
      if (earlier != null) { // headers may have been added since, and time has passed
        return planning.again(earlier, submission);
      }
      PublishPlan plan = planning.prepare(submission, channel.getConnection());
      if (plan.temporaryQueue() != null) {
        message.temporary(plan);
      }
      return plan;
    } catch (PocketwatchException e) {
      throw new DelayedSendException(ErrorWords.of(e), e);
    }
  }

  /** Removes our headers, which a message that is sent on still has from its earlier delay. */
  static BasicProperties undelayed(BasicProperties properties) {
    Map<String, Object> headers = properties.getHeaders();
    if (headers == null || headers.keySet().stream().noneMatch(DelayedSending::ours)) {
      return properties;
    }
    Map<String, @Nullable Object> rest = new LinkedHashMap<>(headers);
    rest.keySet().removeIf(DelayedSending::ours);
    return properties.builder().headers(rest).build();
  }

  private static boolean ours(String header) {
    return header.startsWith(Headers.PREFIX);
  }

  /**
   * Sets the delay header as the plugin leaves it: negated. So nothing delays the message again,
   * and Spring still tells its consumer the delay.
   */
  private static BasicProperties withDelay(Submission submission, BasicProperties properties) {
    Map<String, @Nullable Object> headers = new LinkedHashMap<>();
    if (properties.getHeaders() != null) {
      headers.putAll(properties.getHeaders());
    }
    Duration delay = submission.delay();
    if (delay == null) {
      headers.remove(MessageProperties.X_DELAY);
    } else {
      headers.put(MessageProperties.X_DELAY, delay.isNegative() ? 0L : -delay.toMillis());
    }
    headers.put(
        ReceivedDelays.SENT_RETRY_COUNT, headers.getOrDefault(MessageProperties.RETRY_COUNT, 0L));
    return properties.builder().headers(headers).build();
  }

  /**
   * A returned message as its sender knows it, with its own exchange in place of one of ours. If it
   * is sent again, it asks for the same instant. Changes the headers of the given object.
   */
  static Return restoreInPlace(Return returned) {
    String exchange = restoreInPlace(returned.getProperties().getHeaders(), returned.getExchange());
    return new Return(
        returned.getReplyCode(),
        returned.getReplyText(),
        exchange,
        returned.getRoutingKey(),
        returned.getProperties(),
        returned.getBody());
  }

  /** As {@link #restoreInPlace(Return)}, for a message that Spring has converted. */
  static ReturnedMessage restore(ReturnedMessage returned) {
    MessageProperties properties = returned.getMessage().getMessageProperties();
    String exchange = restoreInPlace(properties.getHeaders(), returned.getExchange());
    properties.setReceivedExchange(exchange);
    return new ReturnedMessage(
        returned.getMessage(),
        returned.getReplyCode(),
        returned.getReplyText(),
        exchange,
        returned.getRoutingKey());
  }

  /**
   * Changes the headers in place, as Spring does next. Those from the wire are mutable, a rebuilt
   * copy is not.
   *
   * @return the exchange that the sender named
   */
  private static String restoreInPlace(
      @Nullable Map<String, @Nullable Object> headers, String returnedBy) {
    Instant deliverAt = Headers.deliverAt(headers);
    if (headers == null || deliverAt == null) {
      return returnedBy; // not delayed
    }
    headers.remove(DeliveryTime.HEADER);
    headers.remove(MessageProperties.X_DELAY);
    headers.put(DelayRequest.DELIVER_AT, deliverAt.toString());
    return String.valueOf(headers.getOrDefault(Headers.EXCHANGE, returnedBy));
  }
}
