// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;

/**
 * A message that waits for its reply. Spring sets its reply address and correlation in each attempt
 * of a retry, on the properties it shares with the caller's message. So it is pinned in the first.
 */
final class RequestMessage extends Message {
  private static final long serialVersionUID = 1L;

  private transient @Nullable PinnedMessage pinned;

  RequestMessage(Message message) {
    super(message.getBody(), message.getMessageProperties());
  }

  /** Null before the first attempt. */
  @Nullable PinnedMessage pinned() {
    return pinned;
  }

  void pinned(PinnedMessage pinned) {
    this.pinned = pinned;
  }
}
