// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.Headers;
import io.pocketwatch.internal.plan.HeldAgain;
import io.pocketwatch.store.SettlingStore.Handling;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A message that a guard lets through to its handler, and what can be said of it beyond AMQP. Its
 * handler may be on any thread.
 */
public final class GuardedDelivery {
  /** How often its handler has deferred it (a number); sent along with it. */
  static final String ATTEMPTS = Headers.PREFIX + "attempts";

  private static final int MOST_ATTEMPTS = 1_000_000;

  private final DeliveryGuard guard;
  private final ConsumerAnswers answers;
  private final Arrival arrived;

  /** Made when it is asked for: frameworks clean messages of their own. */
  private @Nullable Delivery clean;

  GuardedDelivery(DeliveryGuard guard, ConsumerAnswers answers, Arrival arrived) {
    this.guard = guard;
    this.answers = answers;
    this.arrived = arrived;
  }

  private Delivery clean() {
    if (clean == null) {
      Delivery restored = HeldAgain.restore(arrived.delivery());
      Optional<DelayedDelivery> delayed = DelayedDelivery.of(restored);
      BasicProperties properties =
          delayed
              .map(known -> known.withoutDeadLetterHeaders(guard.options().namePrefix()))
              .orElse(restored.getProperties());
      Envelope envelope =
          delayed
              .map(known -> addressedTo(known, restored.getEnvelope()))
              .orElse(restored.getEnvelope());
      clean = new Delivery(envelope, withoutRow(properties), restored.getBody());
    }
    return clean;
  }

  /** The exchange of a message that was held is one of ours to the broker. */
  private static Envelope addressedTo(DelayedDelivery delayed, Envelope arrived) {
    return new Envelope(
        arrived.getDeliveryTag(), arrived.isRedeliver(), delayed.exchange(), delayed.routingKey());
  }

  /** A handler that sends these on without a publisher of ours would send a copy of its row. */
  private static BasicProperties withoutRow(BasicProperties properties) {
    if (properties.getHeaders() == null) {
      return properties;
    }
    Map<String, @Nullable Object> headers = new LinkedHashMap<>(properties.getHeaders());
    headers.remove(Headers.ROUTE);
    headers.remove(Headers.GENERATION);
    return properties.builder().headers(headers).build();
  }

  /** The envelope; exchange and routing key are those it was sent to, however it was held. */
  public Envelope envelope() {
    return clean().getEnvelope();
  }

  /**
   * The properties, without the dead-letter headers of our queues and without what names its row:
   * they may be sent on as they are.
   */
  public BasicProperties properties() {
    return clean().getProperties();
  }

  public byte[] body() {
    return clean().getBody();
  }

  /** What is known of its delay; empty if Pocketwatch did not send it. */
  public Optional<DelayedDelivery> delayed() {
    return DelayedDelivery.of(HeldAgain.restore(arrived.delivery()))
        .map(known -> known.withProperties(properties()));
  }

  /** What there is to settle; empty for a message without a row, or one that was not checked. */
  public Optional<Handling> handling() {
    return Optional.ofNullable(arrived.handling);
  }

  /** Arrival minus {@code deliverAt}, negative if it came early; empty if it was never delayed. */
  public Optional<Duration> lateness() {
    return Optional.ofNullable(guard.lateness(arrived));
  }

  /** Which try this is, from 1 on: as often as it was deferred, and one. */
  public int attempt() {
    return attempts(arrived) + 1;
  }

  static int attempts(Arrival arrived) {
    Map<String, Object> headers = arrived.delivery().getProperties().getHeaders();
    long before =
        headers != null && headers.get(ATTEMPTS) instanceof Number number ? number.longValue() : 0;
    return (int) Math.max(0, Math.min(MOST_ATTEMPTS, before)); // anybody may have written it
  }

  /**
   * Says that the handler has settled {@link #handling} in a transaction of its own, which is
   * committed, so that only the acknowledgement is left to do. A transaction that could not settle
   * must be rolled back, and the handler must throw: the guard then decides anew.
   *
   * @throws IllegalStateException if there is nothing to settle
   */
  public void settledInTransaction() {
    if (arrived.handling == null) {
      throw new IllegalStateException("this message has no row to settle");
    }
    answers.settledByConsumer(arrived);
  }

  /**
   * Says why its work is not done: however it is answered then, its row is recorded as failed.
   *
   * @param problem null if it is done after all
   */
  public void failed(@Nullable Throwable problem) {
    answers.failed(arrived, problem);
  }

  /**
   * Answers for it: it comes again then, as one attempt more. A row says so, with the reason.
   *
   * @param until on the clock of {@link DeliveryGuard#now}
   */
  public void defer(Instant until, Throwable reason) {
    answers.defer(arrived, until, deferred(), reason);
  }

  private Delivery deferred() {
    Delivery copy = arrived.delivery();
    Map<String, @Nullable Object> headers = new LinkedHashMap<>();
    if (copy.getProperties().getHeaders() != null) {
      headers.putAll(copy.getProperties().getHeaders());
    }
    headers.put(ATTEMPTS, attempt());
    BasicProperties properties = copy.getProperties().builder().headers(headers).build();
    return new Delivery(copy.getEnvelope(), properties, copy.getBody());
  }

  /**
   * Answers for it: it is given up, and its row is parked for a human to look at.
   *
   * @param then is told whether that is recorded; else it comes again
   * @throws IllegalStateException if it has no row
   */
  public void park(String reason, Consumer<Boolean> then) {
    Handling handling = arrived.handling;
    if (handling == null) {
      throw new IllegalStateException("this message has no row to park");
    }
    answers.park(arrived, handling, reason, then);
  }

  /** Says that its handler begins to work on it, for those who hand messages on to threads. */
  public void started() {
    answers.started(arrived);
  }

  /** Says that it will still be answered, whatever was said of it in a transaction. */
  public void stillAnswered() {
    answers.stillAnswered(arrived);
  }

  /**
   * Says that its handler has returned; it may answer later.
   *
   * @param thrown whether it has thrown
   */
  public void returned(boolean thrown) {
    answers.returned(arrived, thrown);
  }

  /** As the broker sent it, with the headers of our queues and of its row. */
  public Delivery asReceived() {
    return arrived.delivery();
  }

  @Override
  public String toString() {
    return arrived.toString();
  }
}
