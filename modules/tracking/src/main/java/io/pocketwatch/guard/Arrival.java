// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import io.pocketwatch.Headers;
import io.pocketwatch.internal.rows.RequeuedHold;
import io.pocketwatch.internal.rows.RowReference;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Attempts;
import io.pocketwatch.store.SettlingStore.Handling;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One delivery, from its arrival until the broker is answered. At each stage it belongs to one
 * thread, and no other writes to it; see GUARD.md.
 */
final class Arrival {
  /** The stage of a delivery, which says to which thread it belongs. */
  enum Stage {
    /** It waits for a place, or for the next try. Belongs to the events. */
    WAITING,
    /** The store is asked whether to handle it, or the broker to hold it. Belongs to the events. */
    ASKED,
    /** It is to be handled. Belongs to the thread that takes it from the queue. */
    READY,
    /** Its consumer has it. Belongs to the thread that takes it from {@link HandedOut}. */
    HANDLED,
    /** Its consumer's answer is being recorded. Belongs to the events, as the last two do. */
    ENDING,
    /** It is requeued when the pending answer has come. */
    RETURNING,
    /** The broker is answered, or expects no answer any more. */
    OVER
  }

  /**
   * The state of its handler.
   *
   * @param pendingAnswer the answer given in a transaction that has ended, unless another follows
   * @param rolledBack whether that was an acknowledgement, and the transaction did not commit
   */
  record HandlerState(boolean running, @Nullable Disposition pendingAnswer, boolean rolledBack) {
    static final HandlerState NONE = new HandlerState(false, null, false);
    static final HandlerState RUNNING = new HandlerState(true, null, false);
  }

  private final Subscription subscription;
  private final Delivery delivery;
  private final @Nullable RowReference tracked;
  private final @Nullable Instant deliverAt;
  private final long nanoTime;

  volatile Stage stage = Stage.WAITING;
  volatile @Nullable Handling handling;

  /** The tag by which its consumer answers, in the order of handing out, not of arrival. */
  volatile long tagForConsumer;

  /** Whether its connection is lost, so that the broker gives it to other consumers. */
  volatile boolean lost;

  /** Whether its handler has begun to work on it. */
  volatile boolean started;

  /** Whether a transaction of its consumer's has settled it, if that has committed. */
  volatile boolean settling;

  /** Whether its row says that this transaction has not committed. */
  volatile boolean notCommitted;

  /** Why its work is not done, as far as is known. */
  volatile @Nullable Throwable problem;

  /** Whether its consumer gives it back because its work has failed. */
  volatile boolean requeueMeansFailed;

  final AtomicReference<HandlerState> run = new AtomicReference<>(HandlerState.NONE);

  /** The attempts of this consumer, from the row; null where there is no row. */
  volatile @Nullable Attempts fromRow;

  // Of the events alone

  /** Whether it takes one of the places of the look-ahead. */
  boolean counted;

  /** The pause before the next try. */
  Duration pause = Backoff.FIRST;

  Arrival(Subscription subscription, Delivery delivery, long nanoTime) {
    this.subscription = subscription;
    this.delivery = delivery;
    this.tracked = RowReference.of(delivery.getProperties());
    this.deliverAt = Headers.deliverAt(delivery.getProperties().getHeaders());
    this.nanoTime = nanoTime;
  }

  /** Whether its handler works on it. */
  boolean running() {
    return Objects.requireNonNull(run.get()).running();
  }

  Subscription subscription() {
    return subscription;
  }

  String consumer() {
    return subscription.settlesAs();
  }

  /** As the broker sent it. */
  Delivery delivery() {
    return delivery;
  }

  /**
   * As its consumer gets it: under the tag it answers by, with the attempts that its row counts.
   */
  Delivery forConsumer() {
    Envelope envelope = delivery.getEnvelope();
    return new Delivery(
        new Envelope(
            tagForConsumer,
            envelope.isRedeliver(),
            envelope.getExchange(),
            envelope.getRoutingKey()),
        counted(delivery.getProperties()),
        delivery.getBody());
  }

  /** With the attempts that its row counts in the header that counts those of others. */
  BasicProperties counted(BasicProperties properties) {
    if (fromRow == null || attempts() == 0) {
      return properties;
    }
    Map<String, Object> headers =
        properties.getHeaders() == null
            ? new LinkedHashMap<>()
            : new LinkedHashMap<>(properties.getHeaders());
    headers.put(Headers.ATTEMPTS, attempts());
    return properties.builder().headers(headers).build();
  }

  /** Whether the broker has dead-lettered it from that queue. */
  boolean wasIn(String queue) {
    Map<String, Object> headers = delivery.getProperties().getHeaders();
    return headers != null
        && headers.get("x-death") instanceof List<?> deaths
        && deaths.stream()
            .anyMatch(
                each ->
                    each instanceof Map<?, ?> death
                        && queue.equals(String.valueOf(death.get("queue"))));
  }

  long tag() {
    return delivery.getEnvelope().getDeliveryTag();
  }

  @Nullable RowReference tracked() {
    return tracked;
  }

  @Nullable MessageKey key() {
    return tracked == null ? null : tracked.key();
  }

  @Nullable Instant deliverAt() {
    return deliverAt;
  }

  /** When it is due, or until when its consumer has deferred it; null if it is not delayed. */
  @Nullable Instant notBefore() {
    return RequeuedHold.notBefore(delivery.getProperties());
  }

  /** How often it was put off. */
  int attempts() {
    Attempts counted = fromRow;
    return counted == null ? RequeuedHold.attempts(delivery.getProperties()) : counted.postponed();
  }

  /** How many of its route's retries are used up. */
  int retries() {
    Attempts counted = fromRow;
    return counted == null ? RequeuedHold.retries(delivery.getProperties()) : counted.retries();
  }

  Duration age(long now) {
    return Duration.ofNanos(now - nanoTime);
  }

  @Override
  public String toString() {
    return tracked == null
        ? "message " + delivery.getProperties().getMessageId()
        : tracked.key().toString();
  }
}
