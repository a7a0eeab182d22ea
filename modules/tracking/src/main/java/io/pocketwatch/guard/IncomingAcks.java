// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import io.pocketwatch.guard.Arrival.Run;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What consumers say of the messages they were given, on their own threads. Nobody waits but for a
 * commit. Thread-safe.
 */
final class IncomingAcks {
  /** Said in a transaction of the channel that is not committed. */
  private record Uncommitted(Arrival arrival, Disposition said) {}

  private final DeliveryGuard guard;
  private final ChannelUse use;
  private final Deliveries deliveries;
  private final HandedOut handedOut;
  private final OutgoingAcks outgoing;
  private final Queue<Uncommitted> uncommitted = new ConcurrentLinkedQueue<>();
  private final AtomicInteger forgotten = new AtomicInteger();

  IncomingAcks(
      DeliveryGuard guard,
      ChannelUse use,
      Deliveries deliveries,
      HandedOut handedOut,
      OutgoingAcks outgoing) {
    this.guard = guard;
    this.use = use;
    this.deliveries = deliveries;
    this.handedOut = handedOut;
    this.outgoing = outgoing;
  }

  void answer(long tag, boolean multiple, Disposition said) {
    boolean transacted = outgoing.isTransacted();
    List<Arrival> meant = handedOut.meant(tag, multiple);
    List<Arrival> now = new ArrayList<>();
    List<Arrival> later = new ArrayList<>();
    for (Arrival one : meant) {
      (one.handling == null || transacted ? now : later).add(one);
    }
    if (!later.isEmpty() && !use.transaction().tell(done -> ended(later, said, done))) {
      now = meant; // there is none
    }
    for (Arrival one : now) {
      if (transacted) {
        uncommitted.add(new Uncommitted(one, said));
      } else {
        deliveries.say(one, said);
      }
    }
  }

  /**
   * The consumer's own transaction has ended in which it said that. What it did not commit waits
   * for its consumer to return: a retry may say something else.
   */
  private void ended(List<Arrival> meant, Disposition said, boolean committed) {
    boolean inVain = said == Disposition.ACK && !committed;
    Disposition then = inVain ? Disposition.REQUEUE : said;
    for (Arrival one : meant) {
      Run now =
          one.run.updateAndGet(
              run -> run.underWay() && then != Disposition.ACK ? new Run(true, then, inVain) : run);
      if (!now.underWay() || then == Disposition.ACK) {
        deliveries.say(one, then);
      }
    }
  }

  /** Whatever they said of it in a transaction. */
  void giveBackAll() {
    handedOut.meant(0, true).forEach(one -> deliveries.say(one, Disposition.REQUEUE));
  }

  // What a consumer says of one delivery beyond AMQP; see GuardedDelivery

  void settledByConsumer(Arrival arrived) {
    arrived.settledByConsumer = true;
    guard.leases().keepNoLonger(arrived.handling);
  }

  /** False if it was given back in between, and must not be worked on. */
  boolean started(Arrival arrived) {
    if (!handedOut.started(arrived)) {
      return false;
    }
    arrived.run.set(Run.UNDER_WAY);
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
    deliveries.answer(arrived, () -> deliveries.rule().deferred(arrived, until, cause), null);
  }

  /** Has it come again as its route says; false if that says no more, and nothing is done. */
  boolean retry(Arrival arrived, Throwable cause) {
    if (!deliveries.rule().hasRetry(arrived)) {
      return false;
    }
    deliveries.answer(arrived, () -> deliveries.rule().retried(arrived, cause), null);
    return true;
  }

  /** Gives it up, for a human to look at. */
  void park(Arrival arrived, Handling handling, String reason, Consumer<Boolean> then) {
    Answer parked = Answer.toStore(Ending.park(handling, reason), Disposition.ACK).then(then);
    deliveries.answer(arrived, () -> parked, null);
  }

  Optional<GuardedDelivery> delivery(long tag) {
    return Optional.ofNullable(handedOut.get(tag))
        .map(one -> new GuardedDelivery(guard, this, one));
  }

  // Those who wait

  void acknowledgeNow(long tag) throws IOException {
    Arrival arrived = handedOut.get(tag);
    CompletableFuture<Boolean> told =
        arrived == null ? null : deliveries.sayAndTell(arrived, Disposition.ACK);
    if (told == null) { // its connection was lost, and it is released
      throw new IOException("the message was given back; it comes again");
    }
    if (!guard.await(told)) {
      throw new IOException(arrived + " could not be settled; it comes again if it is to");
    }
  }

  /** Waits until what was said in the transaction is recorded and told; false if nothing was. */
  boolean commit() {
    List<CompletableFuture<Boolean>> told = new ArrayList<>();
    for (Uncommitted one = uncommitted.poll(); one != null; one = uncommitted.poll()) {
      CompletableFuture<Boolean> end = deliveries.sayAndTell(one.arrival(), one.said());
      if (end != null) {
        told.add(end);
      }
    }
    told.forEach(guard::await);
    return !told.isEmpty();
  }

  /** What was said in the transaction is not said: it is rolled back, or its connection gone. */
  void forget() {
    forgotten.incrementAndGet();
    uncommitted.clear();
  }

  /** How often that was so. */
  int timesForgotten() {
    return forgotten.get();
  }
}
