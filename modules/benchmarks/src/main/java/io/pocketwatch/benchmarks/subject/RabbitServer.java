// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.subject;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.NotHereException;
import io.pocketwatch.benchmarks.harness.Server;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.BrokerUnavailableException;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeoutException;

/** RabbitMQ, one node or several that form a cluster, as we advise to configure it. */
public final class RabbitServer implements Server {
  /** The version all figures are about; subjects that cannot run on it say so. */
  public static final String VERSION = "4.3";

  private final List<BrokerNode> nodes;
  private final String tuning;

  private RabbitServer(List<BrokerNode> nodes, String tuning) {
    this.nodes = List.copyOf(nodes);
    this.tuning = tuning;
  }

  /** The one node most subjects share. */
  public static RabbitServer single(Ground ground) throws Exception {
    return ground.server("rabbitmq", RabbitServer.class, () -> start(options(), 1, "tuned"));
  }

  /** Three nodes on this machine. */
  public static RabbitServer cluster(Ground ground) throws Exception {
    return ground.server("rabbitmq-3", RabbitServer.class, () -> start(options(), 3, "tuned"));
  }

  /** Without the management plugin, whose statistics cost processor time of their own. */
  public static LocalBrokerOptions options() {
    return LocalBrokerOptions.defaults()
        .withVersion(VERSION)
        .withControllable(true)
        .withPlugins(List.of());
  }

  /**
   * Started with these options.
   *
   * @param tuning how its configuration differs from the stock one, in a word or two
   * @throws NotHereException if no such broker can be had on this machine
   */
  public static RabbitServer start(LocalBrokerOptions options, int nodes, String tuning)
      throws NotHereException {
    try {
      return new RabbitServer(LocalBroker.cluster(options, nodes).nodes(), tuning);
    } catch (BrokerUnavailableException e) {
      throw new NotHereException("no RabbitMQ: " + e.getMessage(), e);
    }
  }

  public List<BrokerNode> nodes() {
    return nodes;
  }

  /** A new virtual host: all that an earlier round left is out of the way. */
  public VirtualHost virtualHost() {
    String name = "bench-" + UUID.randomUUID().toString().substring(0, 8);
    BrokerNode node = nodes.get(0);
    node.ctl("add_vhost", name);
    String user = node.connectionFactory().getUsername();
    node.ctl("set_permissions", "-p", name, user, ".*", ".*", ".*");
    return new VirtualHost(name);
  }

  @Override
  public String describe() {
    return "RabbitMQ %s, %s, %s"
        .formatted(
            nodes.get(0).version(),
            nodes.size() == 1 ? "one node" : nodes.size() + " nodes",
            tuning);
  }

  @Override
  public long residentBytes() {
    return nodes.stream().filter(BrokerNode::running).mapToLong(BrokerNode::residentBytes).sum();
  }

  @Override
  public Duration cpuTime() {
    return nodes.stream()
        .filter(BrokerNode::running)
        .map(BrokerNode::cpuTime)
        .reduce(Duration.ZERO, Duration::plus);
  }

  @Override
  public Optional<Duration> restart() {
    long began = System.nanoTime();
    nodes.forEach(BrokerNode::stop);
    nodes.forEach(BrokerNode::start);
    return Optional.of(Duration.ofNanos(System.nanoTime() - began));
  }

  @Override
  public void close() {
    nodes.forEach(BrokerNode::close);
  }

  /** A virtual host of this server; closing deletes it with all that is in it. */
  public final class VirtualHost implements AutoCloseable {
    private final String name;

    private VirtualHost(String name) {
      this.name = name;
    }

    public String name() {
      return name;
    }

    /** A new connection, to whichever node comes first. */
    public Connection connect() throws IOException, TimeoutException {
      return connectionFactory().newConnection(addresses());
    }

    /** Connects to the first node. */
    public ConnectionFactory connectionFactory() {
      ConnectionFactory factory = nodes.get(0).connectionFactory();
      factory.setVirtualHost(name);
      return factory;
    }

    /** The addresses of all nodes. */
    public List<Address> addresses() {
      return nodes.stream()
          .map(BrokerNode::amqpUri)
          .map((URI uri) -> new Address(uri.getHost(), uri.getPort()))
          .toList();
    }

    @Override
    public void close() {
      if (nodes.get(0).running()) {
        nodes.get(0).ctl("delete_vhost", name);
      }
    }
  }
}
