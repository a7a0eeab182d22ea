// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import io.pocketwatch.DelayedDelivery;
import io.pocketwatch.Headers;
import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.internal.rows.RequeuedHold;
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
 * A message that a guard lets through to its handler, and what can be said of it beyond AMQP. Its
 * handler may be on any thread.
 */
public final class GuardedDelivery {
  private final DeliveryGuard guard;
  private final IncomingAcks answers;
  private final Arrival arrived;

  /** Made when it is asked for: frameworks clean messages of their own. */
  private @Nullable Delivery clean;

  GuardedDelivery(DeliveryGuard guard, IncomingAcks answers, Arrival arrived) {
    this.guard = guard;
    this.answers = answers;
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

  /** What is known of its delay; empty if Pocketwatch did not send it. */
  public Optional<DelayedDelivery> delayed() {
    return DelayedDelivery.of(RequeuedHold.restore(arrived.delivery()))
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

  /** Which attempt this is, from 1 on: as often as it was deferred or tried again, and one. */
  public int attempt() {
    return arrived.attempts() + 1;
  }

  /**
   * Settles the message in the transaction of its handler's effect: both are committed, or neither
   * is, so that the effect happens once. It locks the message's row until the transaction ends.
   * When the handler has returned or thrown, the guard looks at the row. If the transaction has
   * committed the message is acknowledged, and nothing else is done. If not, a message whose
   * handler has returned is given back, and one whose handler has thrown has failed. Nothing
   * happens where there is no row.
   *
   * <p>With a JDBC store call it at READ COMMITTED, or as the transaction's first statement. A
   * transaction that sees the database as it was before the lease was last renewed cannot settle.
   * PostgreSQL refuses it from REPEATABLE READ on, and so does MariaDB from 11.6.2 on, where that
   * is the default.
   *
   * @param transaction one of the store's database that is not committed; for a JDBC store the
   *     {@code java.sql.Connection}, not in auto-commit mode
   * @throws OvertakenException if somebody else has taken the message over: roll back, and throw
   * @throws IllegalArgumentException if the store cannot settle in that
   */
  public void settleIn(Object transaction) {
    answers.settleIn(arrived, Objects.requireNonNull(transaction, "transaction"));
  }

  /**
   * Says that what {@link #settleIn} did was undone on purpose, as by a rollback to a savepoint.
   * The guard then settles the message when it is acknowledged.
   */
  public void settleUndone() {
    arrived.settling = false;
  }

  /**
   * Says why its work is not done: however it is answered then, its row is recorded as failed.
   *
   * @param problem null if it is done after all
   */
  public void failed(@Nullable Throwable problem) {
    arrived.problem = problem;
  }

  /**
   * Says that its consumer gives it back only when its work has failed, as frameworks do for
   * handlers that return a future. Where its route has {@code retries} it is then rejected, and so
   * tried again; elsewhere it comes again at once.
   */
  public void requeueMeansFailed() {
    arrived.requeueMeansFailed = true;
  }

  /**
   * Answers for the message: it comes again to this consumer after that pause, as one attempt more.
   * Its handler then just returns. A message with a row can be cancelled, rescheduled and
   * retried meanwhile. One without may come twice if the consumer or the broker dies while it is put on
   * hold.
   *
   * @param pause 1 ms to 3650 d
   * @throws IllegalArgumentException if it is out of range
   */
  public void defer(Duration pause) {
    DelayLimits.requirePause(pause);
    defer(guard.now().plus(pause));
  }

  /**
   * As {@link #defer(Duration)}, until an instant on the clock of {@link DeliveryGuard#now}; at
   * once if that has passed.
   *
   * @throws IllegalArgumentException if it is after {@link DelayLimits#LATEST}
   */
  public void defer(Instant until) {
    answers.defer(arrived, DelayLimits.requireNotAfterLatest(until), null);
  }

  /**
   * As {@link #defer(Instant)}, because its work has failed: its row says so, with the cause. None
   * of its route's retries is used up.
   */
  public void defer(Instant until, Throwable cause) {
    answers.defer(arrived, DelayLimits.requireNotAfterLatest(until), cause);
  }

  /**
   * Answers for it, because its work has failed: it comes again after the next of its route's
   * {@code retries}. To reject it does the same, and ends it where none is left.
   *
   * @return false if none is left, and it is still to be answered for
   */
  public boolean retry(Throwable cause) {
    return answers.retry(arrived, Objects.requireNonNull(cause, "cause"));
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
    answers.park(
        arrived,
        handling,
        Objects.requireNonNull(reason, "reason"),
        Objects.requireNonNull(then, "then"));
  }

  /**
   * Says that its handler begins to work on it, for those who hand messages on to threads.
   *
   * @return false if it must not: its connection was lost in between, and it comes again
   */
  public boolean started() {
    return answers.started(arrived);
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
