// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Starts private nodes and clusters that end with this JVM. */
final class PrivateNodes {

  private final Environment base;
  private final FreePorts ports;
  private final BrokerSource source;

  PrivateNodes(Environment base, BrokerSource source) {
    this.base = base;
    this.ports = FreePorts.of(base);
    this.source = source;
  }

  /** Refuses when a plugin is missing: RabbitMQ would fail late and in many lines. */
  void requirePlugins(RabbitHome home, LocalBrokerOptions options) throws RungRefusedException {
    List<Path> folders = new ArrayList<>(options.pluginFolders());
    folders.addAll(base.pluginFolders(home.version()));
    for (String plugin : options.plugins()) {
      if (!home.offers(plugin, folders)) {
        throw ActivePlugins.missing(home.version(), source, plugin);
      }
    }
  }

  BrokerNode start(RabbitHome home, LocalBrokerOptions options) throws RungRefusedException {
    PrivateNode node = create(home, options);
    try {
      node.start();
      if (!options.plugins().stream().allMatch(plugin -> home.offers(plugin, List.of()))) {
        ActivePlugins.require(node, options); // its own plugins fit; one from elsewhere may not
      }
      return node;
    } catch (BrokerControlException e) {
      node.close();
      throw failed(home, e);
    } catch (RungRefusedException e) {
      node.close();
      throw e;
    }
  }

  BrokerCluster startCluster(RabbitHome home, LocalBrokerOptions options, int size)
      throws RungRefusedException {
    List<PrivateNode> nodes = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      nodes.add(create(home, i == 0 ? options : options.withPort(0)));
    }
    try {
      CompletableFuture.allOf(
              nodes.stream()
                  .map(
                      node ->
                          CompletableFuture.runAsync(node::start, task -> new Thread(task).start()))
                  .toArray(CompletableFuture<?>[]::new))
          .join();
      nodes.stream().skip(1).forEach(node -> join(node, nodes.get(0)));
      return new BrokerCluster(nodes);
    } catch (BrokerControlException e) {
      nodes.forEach(PrivateNode::close);
      throw failed(home, e);
    } catch (CompletionException e) {
      nodes.forEach(PrivateNode::close);
      if (e.getCause() instanceof BrokerControlException cause) {
        throw failed(home, cause);
      }
      throw e;
    }
  }

  private static void join(PrivateNode node, PrivateNode first) {
    node.ctl("stop_app");
    node.ctl("reset");
    node.ctl("join_cluster", NodeEnvironment.fullName(first.name()));
    node.ctl("start_app");
  }

  private PrivateNode create(RabbitHome home, LocalBrokerOptions options)
      throws RungRefusedException {
    try {
      NodeGround ground = JvmGround.get(base, ports);
      NodePorts picked = NodePorts.pick(ports, options.port(), options.plugins());
      NodeIdentity identity = new NodeIdentity(source, home, ground, JvmGround.nextName(), picked);
      return new PrivateNode(base, identity, options, false);
    } catch (IOException e) {
      throw new RungRefusedException(
          "No folder for a private node: " + e,
          "Make java.io.tmpdir a folder that can be written.");
    }
  }

  private RungRefusedException failed(RabbitHome home, BrokerControlException e) {
    return new RungRefusedException(
        "RabbitMQ " + home.version() + " (" + source.label() + ") did not start: " + e.getMessage(),
        "Run " + home.script("rabbitmq-server") + " by hand to see why.");
  }
}
