// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.ReturnedMessage;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.connection.PendingConfirm;

/**
 * Wraps the sender's correlation data for a message on its way to its hold. It reports a return
 * with the exchange that the sender named; Spring alone would name one of ours.
 */
final class OriginalTarget extends CorrelationData {
  private final CorrelationData senders;

  OriginalTarget(CorrelationData senders) {
    super(senders.getId());
    this.senders = senders;
  }

  /** The confirm with the correlation data that the sender knows. */
  static PendingConfirm senders(PendingConfirm pending) {
    CorrelationData kept = pending.getCorrelationData();
    if (!(kept instanceof OriginalTarget)) {
      return pending;
    }
    PendingConfirm senders = new PendingConfirm(senders(kept), pending.getTimestamp());
    String cause = pending.getCause();
    if (cause != null) {
      senders.setCause(cause);
    }
    return senders;
  }

  static CorrelationData senders(CorrelationData kept) {
    return kept instanceof OriginalTarget addressed ? addressed.senders : kept;
  }

  @Override
  public String getId() {
    return senders.getId();
  }

  @Override
  public void setId(String id) {
    senders.setId(id);
  }

  @Override
  public CompletableFuture<Confirm> getFuture() {
    return senders.getFuture();
  }

  @Override
  public @Nullable ReturnedMessage getReturned() {
    return senders.getReturned();
  }

  @Override
  public void setReturned(ReturnedMessage returned) {
    senders.setReturned(DelayedSending.restore(returned));
  }

  @Override
  public String toString() {
    return senders.toString();
  }
}
