// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.Delivery;
import java.time.Duration;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How the consumers of a guarded channel answer; for frameworks.
 *
 * @param leastAhead the number of messages that may always be begun at a time: as many as consumers
 *     answer together. More are begun as more are ended
 * @param reportsStart whether consumers pass messages on and call {@link GuardedDelivery#started}
 *     when a handler begins; otherwise it has begun once they got the message
 * @param transaction the transactions of the threads that answer
 * @param unholdable keeps a message elsewhere, given the reason, if it came early or was deferred
 *     and can never be held again. It returns whether it has kept the message, which is otherwise
 *     requeued. If it is null, such messages are rejected
 * @param retries the pauses before the retries of a failed message, where its route names none
 */
public record ChannelUse(
    int leastAhead,
    boolean reportsStart,
    TransactionEnd transaction,
    @Nullable BiPredicate<Delivery, String> unholdable,
    List<Duration> retries) {

  public ChannelUse {
    retries = List.copyOf(retries);
  }

  /** For consumers that answer one message at a time, outside of transactions. */
  public static ChannelUse plain() {
    return new ChannelUse(1, false, TransactionEnd.NONE, null, List.of());
  }

  public ChannelUse withLeastAhead(int leastAhead) {
    return new ChannelUse(leastAhead, reportsStart, transaction, unholdable, retries);
  }

  /** A copy for consumers that call {@link GuardedDelivery#started}. */
  public ChannelUse withReportedStart() {
    return new ChannelUse(leastAhead, true, transaction, unholdable, retries);
  }

  public ChannelUse withTransaction(TransactionEnd transaction) {
    return new ChannelUse(leastAhead, reportsStart, transaction, unholdable, retries);
  }

  public ChannelUse withUnholdable(BiPredicate<Delivery, String> unholdable) {
    return new ChannelUse(leastAhead, reportsStart, transaction, unholdable, retries);
  }

  public ChannelUse withRetries(List<Duration> retries) {
    return new ChannelUse(leastAhead, reportsStart, transaction, unholdable, retries);
  }

  /**
   * The transaction that a consumer's thread is in, of its database for example; for frameworks. A
   * message acknowledged in it is settled when it commits, and requeued when it does not.
   */
  @FunctionalInterface
  public interface TransactionEnd {
    /** No transactions. */
    TransactionEnd NONE = then -> false;

    /**
     * Registers a callback for the end of this thread's transaction.
     *
     * @param then takes afterwards whether it has committed
     * @return false if there is no transaction; {@code then} is not called
     */
    boolean tell(Consumer<Boolean> then);
  }
}
