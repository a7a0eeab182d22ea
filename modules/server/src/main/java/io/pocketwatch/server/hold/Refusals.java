// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.hold;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.server.broker.Refusal;
import io.pocketwatch.server.hold.BrokenHold.State;
import io.pocketwatch.topology.Names;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A queue that refuses a message gives no reason. One that is full, and one whose nodes are down,
 * are told from one that has died for good by what else the broker says.
 */
final class Refusals {
  private static final int MOST_NODES = 64;

  private final Connection connection;

  Refusals(Connection connection) {
    this.connection = connection;
  }

  /** Those that refuse and have messages become full ones: only a living queue can count them. */
  List<BrokenHold> withFull(List<BrokenHold> broken) throws IOException {
    List<BrokenHold> result = new ArrayList<>();
    for (BrokenHold each : broken) {
      long messages = each.state() == State.REFUSED ? passively(each.queue()).messages() : 0;
      result.add(messages > 0 ? each.full(messages) : each);
    }
    return result;
  }

  /** Whether a node is down, as far as nodes have sinks of their own. */
  boolean nodeDown(Names names) throws IOException {
    for (int number = 1; number <= MOST_NODES; number++) {
      String error = passively(names.nodeSink(number)).error();
      if (!error.isEmpty()) {
        // Where it is on a node that is down 4.3.6 names a timeout; older brokers have other words.
        return !error.contains("no queue");
      }
    }
    return false;
  }

  private Answer passively(String queue) throws IOException {
    Channel channel = connection.createChannel();
    if (channel == null) {
      throw new IOException("the connection allows no channel");
    }
    try {
      return new Answer(channel.queueDeclarePassive(queue).getMessageCount(), "");
    } catch (IOException e) {
      return new Answer(0, Refusal.words(e));
    } finally {
      channel.abort();
    }
  }

  private record Answer(long messages, String error) {}
}
