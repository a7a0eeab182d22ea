// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The answers of consumers for their messages, on their own threads, which do not wait.
 * Thread-safe.
 */
final class IncomingAcks {
  private final DeliveryGuard guard;
  private final ChannelUse use;
  private final Deliveries deliveries;
  private final HandedOut handedOut;

  IncomingAcks(DeliveryGuard guard, ChannelUse use, Deliveries deliveries, HandedOut handedOut) {
    this.guard = guard;
    this.use = use;
    this.deliveries = deliveries;
    this.handedOut = handedOut;
  }

  void answer(long tag, boolean multiple, Disposition said) {
    List<Arrival> meant = handedOut.meant(tag, multiple);
    List<Arrival> now = new ArrayList<>();
    List<Arrival> later = new ArrayList<>();
    for (Arrival one : meant) {
      (one.handling == null ? now : later).add(one);
    }
    if (!later.isEmpty() && !use.transaction().tell(done -> ended(later, said, done))) {
      now = meant; // there is none
    }
    now.forEach(one -> deliveries.say(one, said));
  }

  /**
   * The transaction has ended in which the consumer answered. If it did not commit, the answer
   * waits for the consumer to return: a retry may answer otherwise.
   */
  private void ended(List<Arrival> meant, Disposition said, boolean committed) {
    boolean rolledBack = said == Disposition.ACK && !committed;
    Disposition then = rolledBack ? Disposition.REQUEUE : said;
    for (Arrival one : meant) {
      Arrival.HandlerState now =
          one.run.updateAndGet(
              run ->
                  run.running() && then != Disposition.ACK
                      ? new Arrival.HandlerState(true, then, rolledBack)
                      : run);
      if (!now.running() || then == Disposition.ACK) {
        deliveries.say(one, then);
      }
    }
  }

  // What a consumer says of one delivery beyond AMQP; see GuardedDelivery

  /**
   * Settles it in a transaction of its consumer's; nothing without a row.
   *
   * @throws OvertakenException if somebody else has taken it over
   */
  void settleIn(Arrival arrived, Object transaction) {
    Handling handling = arrived.handling;
    if (handling != null) {
      guard.leases().settling(handling);
      boolean settled = guard.settleIn(transaction, handling);
      arrived.settling = true;
      if (!settled) {
        throw new OvertakenException(handling.key());
      }
    }
  }

  /** False if it was given back in between, and must not be worked on. */
  boolean started(Arrival arrived) {
    if (!handedOut.started(arrived)) {
      return false;
    }
    arrived.run.set(Arrival.HandlerState.RUNNING);
    return true;
  }

  void returned(Arrival arrived, boolean thrown) {
    deliveries.returned(arrived, thrown);
  }

  /**
   * Has it come again then.
   *
   * @param cause why its work is not done; null if it is only put off
   */
  void defer(Arrival arrived, Instant until, @Nullable Throwable cause) {
    deliveries.answer(arrived, () -> deliveries.rule().deferred(arrived, until, cause));
  }

  /** Has it come again as its route says; false if that says no more, and nothing is done. */
  boolean retry(Arrival arrived, Throwable cause) {
    if (!deliveries.rule().hasRetry(arrived)) {
      return false;
    }
    deliveries.answer(arrived, () -> deliveries.rule().retried(arrived, cause));
    return true;
  }

  /** Gives it up, for a human to look at. */
  void park(Arrival arrived, Handling handling, String reason, Consumer<Boolean> then) {
    Answer parked = Answer.toStore(Ending.park(handling, reason), Disposition.ACK).then(then);
    deliveries.answer(arrived, () -> parked);
  }

  Optional<GuardedDelivery> delivery(long tag) {
    return Optional.ofNullable(handedOut.get(tag))
        .map(one -> new GuardedDelivery(guard, this, one));
  }
}
