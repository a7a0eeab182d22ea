// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.listener;

import io.pocketwatch.Headers;
import io.pocketwatch.guard.GuardedDelivery;
import io.pocketwatch.store.SettlingStore.Handling;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;

/**
 * A message that a listener is handling. Only the listener's own thread finds it, while it runs; a
 * listener that hands its work to another thread passes this object on.
 */
public final class DeliveryInProgress {
  private static final ThreadLocal<List<DeliveryInProgress>> CURRENT = new ThreadLocal<>();

  private final Map<String, @Nullable Object> headers;
  private final @Nullable Handling handling;
  private final Consumer<Connection> settleIn;
  private final Runnable settleUndone;

  /**
   * @param delivery null if the message is not guarded, or is answered already
   */
  DeliveryInProgress(Message message, @Nullable GuardedDelivery delivery) {
    this(
        message,
        delivery == null ? null : delivery.handling().orElse(null),
        delivery == null ? connection -> {} : delivery::settleIn,
        delivery == null ? () -> {} : delivery::settleUndone);
  }

  DeliveryInProgress(
      Message message,
      @Nullable Handling handling,
      Consumer<Connection> settleIn,
      Runnable settleUndone) {
    this.headers = message.getMessageProperties().getHeaders();
    this.handling = handling;
    this.settleIn = settleIn;
    this.settleUndone = settleUndone;
  }

  /**
   * The message this thread handles.
   *
   * @throws IllegalStateException outside of a guarded listener, or if it handles a batch
   */
  public static DeliveryInProgress current() {
    List<DeliveryInProgress> all = all();
    if (all.size() != 1) {
      throw new IllegalStateException(
          all.isEmpty()
              ? "no delivery in progress: this is not the thread of a guarded listener"
              : "the listener handles a batch of %s messages: ask for all()".formatted(all.size()));
    }
    return all.get(0);
  }

  /** The messages this thread handles, in the order of its batch; empty outside of a listener. */
  public static List<DeliveryInProgress> all() {
    List<DeliveryInProgress> all = CURRENT.get();
    return all == null ? List.of() : all;
  }

  /** The message's id; empty if it was not delayed. */
  public Optional<String> id() {
    return Optional.ofNullable(headers.get(Headers.ID)).map(Object::toString);
  }

  /** When it was to be delivered; empty if it was not delayed. */
  public Optional<Instant> deliverAt() {
    return headers.get(Headers.DELIVER_AT) instanceof Number millis
        ? Optional.of(Instant.ofEpochMilli(millis.longValue()))
        : Optional.empty();
  }

  /** Arrival minus {@link #deliverAt}; empty if it was not delayed. */
  public Optional<Duration> lateness() {
    return headers.get(DeliveryHeaders.LATENESS) instanceof Duration lateness
        ? Optional.of(lateness)
        : Optional.empty();
  }

  /** The handling to settle; empty for a message without a row, or one that was not checked. */
  public Optional<Handling> handling() {
    return Optional.ofNullable(handling);
  }

  /**
   * Settles the message in the transaction of a connection, for a listener whose transaction is not
   * Spring's; see {@link GuardedDelivery#settleIn}. {@link SettleInTransaction} does it in
   * Spring's.
   *
   * @throws io.pocketwatch.guard.OvertakenException if it was taken over: roll back, and rethrow
   */
  public void settleIn(Connection connection) {
    settleIn.accept(connection);
  }

  /** Notes that the work of {@link #settleIn} was rolled back to a savepoint. */
  void settleUndone() {
    settleUndone.run();
  }

  /** Returns what this thread handled before, to be given back to {@link #leave}. */
  static List<DeliveryInProgress> enter(List<DeliveryInProgress> all) {
    List<DeliveryInProgress> outer = all();
    CURRENT.set(all);
    return outer;
  }

  static void leave(List<DeliveryInProgress> outer) {
    if (outer.isEmpty()) {
      CURRENT.remove();
    } else {
      CURRENT.set(outer);
    }
  }
}
