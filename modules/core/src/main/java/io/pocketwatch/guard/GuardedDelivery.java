// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.Headers;
import io.pocketwatch.plan.HeldAgain;
import io.pocketwatch.store.Handling;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A message that a guard lets through to its handler. For the handler's thread. */
public final class GuardedDelivery {
  private final Delivery delivery;
  private final @Nullable Handling handling;
  private final KeptLease lease;
  private boolean settled;

  GuardedDelivery(
      Delivery arrived, @Nullable Handling handling, KeptLease lease, String namePrefix) {
    Delivery restored = HeldAgain.restore(arrived);
    Optional<DelayedDelivery> delayed = DelayedDelivery.of(restored);
    BasicProperties properties =
        delayed
            .map(known -> known.withoutDeadLetterHeaders(namePrefix))
            .orElse(restored.getProperties());
    Envelope envelope =
        delayed
            .map(known -> addressedTo(known, restored.getEnvelope()))
            .orElse(restored.getEnvelope());
    this.delivery = new Delivery(envelope, withoutRow(properties), restored.getBody());
    this.handling = handling;
    this.lease = lease;
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
    return delivery.getEnvelope();
  }

  /**
   * The properties, without the dead-letter headers of our queues and without what names its row:
   * they may be sent on as they are.
   */
  public BasicProperties properties() {
    return delivery.getProperties();
  }

  public byte[] body() {
    return delivery.getBody();
  }

  /** What is known of its delay; empty if Pocketwatch did not send it. */
  public Optional<DelayedDelivery> delayed() {
    return DelayedDelivery.of(delivery);
  }

  /** What there is to settle; empty for a message without a row, or one that was not checked. */
  public Optional<Handling> handling() {
    return Optional.ofNullable(handling);
  }

  /**
   * Says that the handler has settled {@link #handling} in a transaction of its own, which is
   * committed, so that only the acknowledgement is left to do. A transaction that could not settle
   * must be rolled back, and the handler must throw: the guard then decides anew.
   *
   * @throws IllegalStateException if there is nothing to settle
   */
  public void settledInTransaction() {
    if (handling == null) {
      throw new IllegalStateException("this message has no row to settle");
    }
    settled = true;
    lease.close();
  }

  boolean isSettled() {
    return settled;
  }
}
