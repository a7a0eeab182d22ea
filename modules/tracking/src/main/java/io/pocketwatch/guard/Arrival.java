// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.Delivery;
import io.pocketwatch.Headers;
import io.pocketwatch.guard.ConsumerAnswers.Disposition;
import io.pocketwatch.internal.rows.HeldAgain;
import io.pocketwatch.internal.rows.RowReference;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.SettlingStore.Attempts;
import io.pocketwatch.store.SettlingStore.Handling;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One delivery, from its arrival until the broker is answered. Its channel's lock guards it. */
final class Arrival {
  /** Where it stands. */
  enum Stage {
    /** The store is asked, or it is put on hold again, or one of these is to be done. */
    UNDECIDED,
    /** To be handled, and waits for its turn. */
    READY,
    /** With its consumer. */
    HANDLED,
    /** What its consumer said is being recorded. */
    ENDING,
    /** The broker is answered, or nobody waits for an answer any more. */
    OVER
  }

  private final Subscription subscription;
  private final Delivery delivery;
  private final @Nullable RowReference tracked;
  private final @Nullable Instant deliverAt;
  private final @Nullable Instant notBefore;
  private final long nanoTime = System.nanoTime();

  Stage stage = Stage.UNDECIDED;
  @Nullable Handling handling;

  /** By which its consumer answers: in the order of handing out, which is not that of arrival. */
  long shownTag;

  /** What its row says of its attempts; null if no row was asked. */
  @Nullable Attempts ofRow;

  /** Whether it takes one of the places of the look-ahead. */
  boolean counted;

  /** Its connection is gone. */
  boolean lost;

  /** Whether somebody has begun to work on it. */
  boolean started;

  /** Its consumer works on it. */
  boolean underWay;

  /** Its consumer's transaction has settled it. */
  boolean settledByConsumer;

  /** What its consumer said in a transaction that has ended, unless it says something else. */
  @Nullable Disposition later;

  /** That was an acknowledgement, and the transaction did not commit. */
  boolean inVain;

  /** Why its work is not done, as far as is known. */
  @Nullable Throwable problem;

  /** Before it is looked at again. */
  Duration pause = Backoff.FIRST;

  /** For who waits until its end is recorded; true if the store has taken it. */
  @Nullable CompletableFuture<Boolean> recorded;

  Arrival(Subscription subscription, Delivery delivery) {
    this.subscription = subscription;
    this.delivery = delivery;
    this.tracked = RowReference.of(delivery.getProperties());
    this.deliverAt = Headers.deliverAt(delivery.getProperties().getHeaders());
    this.notBefore = HeldAgain.notBefore(delivery.getProperties());
  }

  Subscription subscription() {
    return subscription;
  }

  String consumer() {
    return subscription.settlesAs();
  }

  Delivery delivery() {
    return delivery;
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

  /** When it is due, or until when its consumer has deferred it. */
  @Nullable Instant notBefore() {
    return notBefore;
  }

  /** How often its consumer has put it off. */
  int attempts() {
    return ofRow == null ? HeldAgain.attempts(delivery.getProperties()) : ofRow.postponed();
  }

  /** How many of its route's retries are used up. */
  int retries() {
    return ofRow == null ? HeldAgain.retries(delivery.getProperties()) : ofRow.retries();
  }

  /** Tells who waits that the end is recorded, or that it is not. */
  void ended(boolean taken) {
    if (recorded != null) {
      recorded.complete(taken);
    }
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
