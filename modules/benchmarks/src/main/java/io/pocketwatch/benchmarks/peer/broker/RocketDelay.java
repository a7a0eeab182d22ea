// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.broker;

import org.apache.rocketmq.common.message.Message;

/** How a message says when it is due. */
@FunctionalInterface
interface RocketDelay {
  void apply(Message message, long dueMillis);
}
