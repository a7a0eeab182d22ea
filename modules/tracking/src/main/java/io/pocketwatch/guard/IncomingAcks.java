// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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

  Optional<GuardedDelivery> delivery(long tag) {
    return Optional.ofNullable(handedOut.get(tag))
        .map(one -> new GuardedDelivery(guard, deliveries, one));
  }
}
