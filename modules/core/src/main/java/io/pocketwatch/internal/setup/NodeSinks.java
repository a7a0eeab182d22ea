// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.setup;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Address;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.internal.amqp.Connections;
import io.pocketwatch.internal.base.BrokerError;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.probe.Probe;
import io.pocketwatch.internal.topology.BindingSpec;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.internal.topology.QueueSpec;
import io.pocketwatch.internal.topology.Topology;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives each node whose address is configured a sink queue of its own. That spares each
 * dead-lettering a write to the shared sink. A node without its own sink uses the shared one. So
 * this is optional, and a node that does not answer is left out.
 *
 * <p>AMQP 0-9-1 does not tell which node a connection is on. A mandatory message to an exchange
 * with only local queues does: it is returned where there is none. Then the next free number is
 * declared. A number that another node has changes nothing, and the one after it is tried.
 */
final class NodeSinks {
  private static final Logger LOG = LoggerFactory.getLogger(NodeSinks.class);
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final int MOST_NODES = 64;

  /** A broker that has blocked publishers reads nothing, not even the close. */
  private static final int CLOSE_MS = 500;

  private final Connections connections;
  private final Names names;
  private final Scheduler scheduler;
  private final Set<Address> done = new HashSet<>();

  NodeSinks(Connections connections, Names names, Scheduler scheduler) {
    this.scheduler = scheduler;
    this.connections = connections;
    this.names = names;
  }

  /** Tries each address once, and on a later call again if it did not answer. */
  synchronized void declareMissing() throws IOException {
    for (Address node : connections.nodes()) {
      if (done.contains(node)) {
        continue;
      }
      try {
        declareAt(node);
        done.add(node);
      } catch (IOException | TimeoutException | AlreadyClosedException e) {
        LOG.debug("{} gets no sink of its own: {}", node, ErrorWords.of(e));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private void declareAt(Address node) throws IOException, TimeoutException, InterruptedException {
    Connection connection = connections.openTo(node, "sink");
    try {
      for (int number = 1; number <= MOST_NODES && !hasOne(connection); number++) {
        declare(connection, Topology.ofNodeSink(names, number));
      }
    } finally {
      connection.abort(CLOSE_MS);
    }
  }

  private boolean hasOne(Connection connection)
      throws IOException, TimeoutException, InterruptedException {
    Probe probe = Probe.on(connection, scheduler); // closed with its connection
    probe.send("sink", names.localOutlet(), "", new BasicProperties.Builder());
    return switch (probe.await(PATIENCE, false).values().iterator().next().state()) {
      case SILENT, REFUSED -> throw new TimeoutException();
      case RETURNED -> false;
      case TAKEN, ARRIVED -> true;
    };
  }

  private static void declare(Connection connection, Topology sink)
      throws IOException, TimeoutException {
    try (Channel channel = connection.createChannel()) {
      for (QueueSpec queue : sink.queues()) {
        TopologyKeeper.declare(channel, queue);
      }
      for (BindingSpec binding : sink.bindings()) {
        TopologyKeeper.bind(channel, binding);
      }
    } catch (IOException e) {
      if (!BrokerError.unavailable(e)) { // else this number's node is down
        throw e;
      }
    }
  }
}
