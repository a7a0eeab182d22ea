// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.BasicProperties;

/**
 * The last wait of a channel's consumer; for those who build listeners.
 *
 * @param before up to this delivery tag messages may have been sent before it was over
 * @param nanoTime of {@link System#nanoTime}, when it was over
 */
public record PastWait(long before, long nanoTime) {
  static final PastWait NONE = new PastWait(0, 0);

  /** One that is over now, for the message of that tag. */
  public static PastWait of(long tag, int prefetch) {
    return new PastWait(tag + prefetch, System.nanoTime());
  }

  /** Whether the broker had sent it ahead by then, so that it has waited as well. */
  public boolean includes(String queue, long tag, BasicProperties properties, LastReturns returns) {
    return tag < before && !returns.since(queue, properties, nanoTime);
  }
}
