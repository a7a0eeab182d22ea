// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.Headers;
import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.internal.rows.RequeuedHold;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A message that a guard passes to its handler, with answers beyond those of AMQP. The handler may
 * be on any thread.
 */
public final class GuardedDelivery {
  private final DeliveryGuard guard;
  private final Deliveries deliveries;
  private final Arrival arrived;

  /** Made on demand: frameworks clean messages of their own. */
  private @Nullable Delivery clean;

  GuardedDelivery(DeliveryGuard guard, Deliveries deliveries, Arrival arrived) {
    this.guard = guard;
    this.deliveries = deliveries;
    this.arrived = arrived;
  }

  private Delivery clean() {
    if (clean == null) {
      Delivery restored = RequeuedHold.restore(arrived.delivery());
      Optional<DelayedDelivery> delayed = DelayedDelivery.of(restored);
      BasicProperties properties =
          delayed
              .map(known -> known.withoutDeadLetterHeaders(guard.options().namePrefix()))
              .orElse(restored.getProperties());
      Envelope envelope =
          delayed
              .map(known -> addressedTo(known, restored.getEnvelope()))
              .orElse(restored.getEnvelope());
      clean = new Delivery(envelope, withoutRow(arrived.counted(properties)), restored.getBody());
    }
    return clean;
  }

  /** Restores the target: a held message arrives through an exchange of ours. */
  private static Envelope addressedTo(DelayedDelivery delayed, Envelope arrived) {
    return new Envelope(
        arrived.getDeliveryTag(), arrived.isRedeliver(), delayed.exchange(), delayed.routingKey());
  }

  /** Without the headers of the row: a handler that sends them on would send a copy of that row. */
  private static BasicProperties withoutRow(BasicProperties properties) {
    if (properties.getHeaders() == null) {
      return properties;
    }
    Map<String, @Nullable Object> headers = new LinkedHashMap<>(properties.getHeaders());
    headers.remove(Headers.ROUTE);
    headers.remove(Headers.GENERATION);
    headers.remove(Headers.RETRIES);
    headers.remove(Headers.DEFERRED_UNTIL);
    return properties.builder().headers(headers).build();
  }

  /** The envelope; exchange and routing key are those it was sent to, however it was held. */
  public Envelope envelope() {
    return clean().getEnvelope();
  }

  /**
   * The properties, which may be sent on as they are. They lack the dead-letter headers of our
   * queues, and the headers that name the row or count the retries.
   */
  public BasicProperties properties() {
    return clean().getProperties();
  }

  public byte[] body() {
    return clean().getBody();
  }

  /** The delay of the message; empty if Pocketwatch did not delay it. */
  public Optional<DelayedDelivery> delayed() {
    return DelayedDelivery.of(RequeuedHold.restore(arrived.delivery()))
        .map(known -> known.withProperties(properties()));
  }

  /** The handling to settle; empty for a message without a row, or one that was not checked. */
  public Optional<Handling> handling() {
    return Optional.ofNullable(arrived.handling);
  }

  /** Arrival minus {@code deliverAt}, negative if it came early; empty if it was never delayed. */
  public Optional<Duration> lateness() {
    return Optional.ofNullable(guard.lateness(arrived));
  }

  /** The number of this attempt, from 1 on; it grows with each defer and each retry. */
  public int attempt() {
    return arrived.attempts() + 1;
  }

  /**
   * Settles the message in the transaction of its handler's effect: both are committed, or neither
   * is, so that the effect happens once. It locks the message's row until the transaction ends.
   * When the handler has returned or thrown, the guard looks at the row. If the transaction has
   * committed, the message is acknowledged, and nothing else is done. If not, a message whose
   * handler has returned is requeued, and one whose handler has thrown has failed. A message
   * without a row is not affected.
   *
   * <p>With a JDBC store call it at READ COMMITTED, or as the transaction's first statement. A
   * transaction that sees the database as it was before the lease was last renewed cannot settle.
   * PostgreSQL refuses it from REPEATABLE READ on, and so does MariaDB from 11.6.2 on, where that
   * is the default.
   *
   * @param transaction an open transaction of the store's database; for a JDBC store the {@code
   *     java.sql.Connection}, not in auto-commit mode
   * @throws OvertakenException if another handling has taken the message over: roll back, and throw
   * @throws IllegalArgumentException if the store cannot settle in this transaction
   */
  public void settleIn(Object transaction) {
    deliveries.settleIn(arrived, Objects.requireNonNull(transaction, "transaction"));
  }

  /**
   * Says that {@link #settleIn} was undone on purpose, as by a rollback to a savepoint. The guard
   * then settles the message when it is acknowledged.
   */
  public void settleUndone() {
    arrived.settling = false;
  }

  /**
   * Says why the work is not done: whatever the answer then, the row is recorded as failed.
   *
   * @param problem the reason; null if the work is done after all
   */
  public void failed(@Nullable Throwable problem) {
    arrived.problem = problem;
  }

  /**
   * Says that its consumer requeues the message only when its work has failed, as frameworks do for
   * handlers that return a future. Where its route has {@code retries} it is then rejected, and so
   * retried; elsewhere it comes again at once.
   */
  public void requeueMeansFailed() {
    arrived.requeueMeansFailed = true;
  }

  /**
   * Defers the message: it comes again to this consumer after the pause, as one attempt more. The
   * handler then just returns. A message with a row can be cancelled, rescheduled and retried
   * meanwhile. One without may come twice if consumer or broker dies while it is put on hold.
   *
   * @param pause 1 ms to 3650 d
   * @throws IllegalArgumentException if it is out of range
   */
  public void defer(Duration pause) {
    defer(guard.now().plus(DelayLimits.requirePause(pause)));
  }

  /**
   * As {@link #defer(Duration)}, until an instant on the clock of {@link DeliveryGuard#now}; at
   * once if that has passed.
   *
   * @throws IllegalArgumentException if it is after {@link DelayLimits#LATEST}
   */
  public void defer(Instant until) {
    deferred(until, null);
  }

  /**
   * As {@link #defer(Instant)}, because the work has failed: the row notes the cause. No retry of
   * the route is used up.
   */
  public void defer(Instant until, Throwable cause) {
    deferred(until, cause);
  }

  private void deferred(Instant until, @Nullable Throwable cause) {
    DelayLimits.requireNotAfterLatest(until);
    deliveries.answer(arrived, () -> deliveries.rule().deferred(arrived, until, cause));
  }

  /**
   * Retries the message, because its work has failed: it comes again after the next of its route's
   * {@code retries}. Rejecting it does the same, and ends it if no retry is left.
   *
   * @return false if no retry is left, and the message still needs an answer
   */
  public boolean retry(Throwable cause) {
    return deliveries.retry(arrived, Objects.requireNonNull(cause, "cause"));
  }

  /**
   * Gives the message up: its row is parked, for a person to look at.
   *
   * @param then takes whether that is recorded; if not, the message comes again
   * @throws IllegalStateException if it has no row
   */
  public void park(String reason, Consumer<Boolean> then) {
    Handling handling = arrived.handling;
    if (handling == null) {
      throw new IllegalStateException("this message has no row to park");
    }
    Ending end = Ending.park(handling, Objects.requireNonNull(reason, "reason"));
    Answer parked = Answer.toStore(end, Disposition.ACK).then(Objects.requireNonNull(then, "then"));
    deliveries.answer(arrived, () -> parked);
  }

  /**
   * Says that the handler begins, for frameworks that pass messages on to other threads.
   *
   * @return false if it must not begin: the connection was lost, and the message comes again
   */
  public boolean started() {
    return deliveries.started(arrived);
  }

  /**
   * Says that the handler has returned; it may still answer later.
   *
   * @param thrown whether it has thrown an exception
   */
  public void returned(boolean thrown) {
    deliveries.returned(arrived, thrown);
  }

  /** The message as the broker sent it, with the headers of our queues and of its row. */
  public Delivery asReceived() {
    return arrived.delivery();
  }

  @Override
  public String toString() {
    return arrived.toString();
  }
}
