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

  private final BrokerCluster cluster;
  private final List<NetworkProxy> proxies;

  private Nodes(BrokerCluster cluster) {
    this.cluster = cluster;
    this.proxies = cluster.nodes().stream().map(node -> NetworkProxy.to(node.amqpUri())).toList();
  }

  static Nodes start(Ground ground) {
    LocalBrokerOptions options =
        LocalBrokerOptions.defaults()
            .withControllable(true)
            .withPlugins(List.of())
            .withConfigLines(ground.brokerLines())
            .withVersion(ground.brokerVersion())
            .withSettableClock(ground.place().settableClock());
    return new Nodes(LocalBroker.cluster(options, ground.place().cluster() ? CLUSTER : 1));
  }

  List<BrokerNode> all() {
    return cluster.nodes();
  }

  /** Where the processes find it, with commas between several nodes. */
  String addresses() {
    return IntStream.range(0, proxies.size())
        .mapToObj(i -> through(cluster.node(i).amqpUri(), proxies.get(i)))
        .collect(Collectors.joining(","));
  }

  private static String through(URI node, NetworkProxy proxy) {
    return "amqp://%s@%s:%s".formatted(node.getRawUserInfo(), proxy.host(), proxy.port());
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
  public void close() {
    proxies.forEach(NetworkProxy::close);
    cluster.close();
  }
}
