// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.store.Handling;
import io.pocketwatch.store.MessageKey;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One delivery, from its arrival until the broker is answered. Its consumer's lock guards it. */
final class Arrival {
  /** Where it stands. */
  enum Stage {
    /** The store is asked, or it is put on hold again, or one of these is to be done. */
    UNDECIDED,
    /** To be handled, and waits for its turn. */
    READY,
    /** With its handler. */
    HANDLED,
    /** What its handler did is being recorded. */
    ENDING,
    /** The broker is answered, or nobody waits for an answer any more. */
    OVER
  }

  private final Delivery delivery;
  private final @Nullable Tracked tracked;
  private final @Nullable Instant deliverAt;
  private final long nanoTime = System.nanoTime();

  Stage stage = Stage.UNDECIDED;
  @Nullable Handling handling;

  /** Whether it takes one of the places of the look-ahead. */
  boolean counted;

  /** Before it is looked at again. */
  Duration pause = Patience.FIRST;

  Arrival(Delivery delivery) {
    this.delivery = delivery;
    this.tracked = Tracked.of(delivery.getProperties());
    this.deliverAt = Tracked.deliverAt(delivery.getProperties());
  }

  Delivery delivery() {
    return delivery;
  }

  long tag() {
    return delivery.getEnvelope().getDeliveryTag();
  }

  @Nullable Tracked tracked() {
    return tracked;
  }

  @Nullable MessageKey key() {
    return tracked == null ? null : tracked.key();
  }

  @Nullable Instant deliverAt() {
    return deliverAt;
  }

  Duration age() {
    return Duration.ofNanos(System.nanoTime() - nanoTime);
  }

  @Override
  public String toString() {
    return tracked == null
        ? "message " + delivery.getProperties().getMessageId()
        : tracked.key().toString();
  }
}
