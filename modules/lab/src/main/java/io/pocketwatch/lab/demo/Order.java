// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.DelayedMessage;
import java.time.Duration;

/**
 * One order of the story.
 *
 * @param number counts from 1
 * @param placedAfter when it is placed, from the start of the story
 * @param timeout how long it may stay unpaid; the delay of its message
 * @param strategy how its message is expected to be held
 * @param paid whether it is paid in time, so that its message is cancelled
 */
record Order(
    int number, Duration placedAfter, Duration timeout, DelayStrategy strategy, boolean paid) {

  /** Its timeout message; only what no rule would pick by itself is asked for by name. */
  DelayedMessage message(String id) {
    boolean plugin = strategy == DelayStrategy.DELAYED_EXCHANGE;
    DelayedMessage message =
        DelayedMessage.to(
                DemoNames.EXCHANGE, plugin ? DemoNames.PLUGIN_ROUTING_KEY : DemoNames.ROUTING_KEY)
            .id(id)
            .body("{\"order\":" + number + "}")
            .delay(timeout);
    return strategy == DelayStrategy.TEMPORARY_QUEUE ? message.strategy(strategy) : message;
  }
}
