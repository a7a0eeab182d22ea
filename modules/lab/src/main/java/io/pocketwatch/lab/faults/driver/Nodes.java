// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import io.pocketwatch.lab.faults.catalogue.World;
import io.pocketwatch.localbroker.BrokerCluster;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.LocalBroker;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.localbroker.NetworkProxy;
import java.net.URI;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The broker of a run, and a network in front of it that can be broken. */
final class Nodes implements World.Network, AutoCloseable {
  private static final int CLUSTER = 3;

  private final List<BrokerNode> nodes;
  private final List<NetworkProxy> proxies;
  private final AutoCloseable owner;

  private Nodes(List<BrokerNode> nodes, AutoCloseable owner) {
    this.nodes = nodes;
    this.owner = owner;
    this.proxies = nodes.stream().map(node -> NetworkProxy.to(node.amqpUri())).toList();
  }

  static Nodes start(Ground ground) {
    LocalBrokerOptions options =
        LocalBrokerOptions.defaults()
            .withControllable(true)
            .withPlugins(List.of())
            .withConfigLines(ground.brokerLines())
            .withVersion(ground.brokerVersion())
            .withSettableClock(ground.place().settableClock());
    if (ground.place().cluster()) {
      BrokerCluster cluster = LocalBroker.cluster(options, CLUSTER);
      return new Nodes(cluster.nodes(), cluster);
    }
    BrokerNode node = LocalBroker.find(options);
    return new Nodes(List.of(node), node);
  }

  List<BrokerNode> all() {
    return nodes;
  }

  /** Where the processes find it, with commas between several nodes. */
  String addresses() {
    return IntStream.range(0, nodes.size())
        .mapToObj(i -> through(nodes.get(i).amqpUri(), proxies.get(i)))
        .collect(Collectors.joining(","));
  }

  private static String through(URI node, NetworkProxy proxy) {
    return "amqp://%s@%s:%d".formatted(node.getRawUserInfo(), proxy.host(), proxy.port());
  }

  @Override
  public void cut() {
    proxies.forEach(NetworkProxy::cut);
  }

  @Override
  public void stall() {
    proxies.forEach(NetworkProxy::stall);
  }

  @Override
  public void mend() {
    proxies.forEach(NetworkProxy::resume);
  }

  @Override
  public void close() throws Exception {
    proxies.forEach(NetworkProxy::close);
    owner.close();
  }
}
