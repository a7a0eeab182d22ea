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
 * @param leastAhead how many messages they may always have at a time: as many as they answer for
 *     together. More are begun as more are ended
 * @param reportsStart whether its consumers hand messages on and say {@link
 *     GuardedDelivery#started} when one begins; else it counts as begun once they were handed it
 * @param transaction of the threads that answer
 * @param unholdable keeps a message elsewhere, given the reason, if it came early or was deferred
 *     and can never be held again. It says whether it has kept the message, which otherwise goes
 *     back to its queue. If it is null, such messages are rejected
 * @param retries the pauses after which a message that has failed is tried again, where its route
 *     names none
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

  /** One message at a time is answered for, outside of transactions. */
  public static ChannelUse plain() {
    return new ChannelUse(1, false, TransactionEnd.NONE, null, List.of());
  }

  public ChannelUse withLeastAhead(int leastAhead) {
    return new ChannelUse(leastAhead, reportsStart, transaction, unholdable, retries);
  }

  /** Its consumers say {@link GuardedDelivery#started}. */
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
   * The transaction that a consumer's thread is in, of its database for example; for frameworks.
   * What is acknowledged in one is settled when it has committed, and given back when it has not.
   */
  @FunctionalInterface
  public interface TransactionEnd {
    /** There are none. */
    TransactionEnd NONE = then -> false;

    /**
     * Has the end of this thread's transaction told.
     *
     * @param then is told whether it has committed, after that
     * @return false if there is no transaction; nothing is told then
     */
    boolean tell(Consumer<Boolean> then);
  }
}
