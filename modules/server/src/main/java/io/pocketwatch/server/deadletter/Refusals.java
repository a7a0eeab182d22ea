// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.deadletter;

import com.rabbitmq.client.Connection;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.server.broker.PassiveDeclares;
import io.pocketwatch.server.deadletter.BrokenHold.State;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Tells why a queue refuses messages, for which it gives no reason. What else the broker says tells
 * a full queue, or one whose nodes are down, from a dead one.
 */
final class Refusals {
  private static final int MOST_NODES = 64;

  private final PassiveDeclares queues;

  Refusals(Connection connection) {
    this.queues = new PassiveDeclares(connection);
  }

  /** Changes refusing queues that have messages to full ones: only a living queue can count. */
  List<BrokenHold> withFull(List<BrokenHold> broken) throws IOException {
    List<BrokenHold> result = new ArrayList<>();
    for (BrokenHold each : broken) {
      long messages = each.state() == State.REFUSED ? queues.ask(each.queue()).messages() : 0;
      result.add(messages > 0 ? each.full(messages) : each);
    }
    return result;
  }

  /** Whether a node is down, as far as nodes have sinks of their own. */
  boolean nodeDown(Names names) throws IOException {
    for (int number = 1; number <= MOST_NODES; number++) {
      PassiveDeclares.Answer answer = queues.ask(names.nodeSink(number));
      if (!answer.refusal().isEmpty()) {
        return !answer.isAbsent(); // else there are no more sinks
      }
    }
    return false;
  }
}
