// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/** Private nodes and clusters, run from RabbitMQ's own programs. They end with this JVM. */
abstract class ProgramsRung implements Rung {

  final Environment base;
  private final BrokerSource source;
  private final FreePorts ports;

  ProgramsRung(Environment base, BrokerSource source) {
    this.base = base;
    this.source = source;
    this.ports = FreePorts.of(base);
  }

  @Override
  public BrokerSource source() {
    return source;
  }

  /** The programs of a fitting version, fetched first where that is this source's way. */
  abstract RabbitHome programs(LocalBrokerOptions options, Consumer<String> listener)
      throws RungRefusedException;

  /** Refuses when a plugin is missing: RabbitMQ would fail late and in many lines. */
  RabbitHome home(LocalBrokerOptions options, Consumer<String> listener)
      throws RungRefusedException {
    RabbitHome home = programs(options, listener);
    List<Path> folders = options.pluginFolders(base, home.version());
    for (String plugin : options.plugins()) {
      if (!home.offers(plugin, folders)) {
        throw ActivePlugins.missing(home.version(), source, plugin);
      }
    }
    return home;
  }

  @Override
  public BrokerNode find(LocalBrokerOptions options, Consumer<String> listener)
      throws RungRefusedException {
    return start(options, 1, listener).get(0);
  }

  @Override
  public BrokerCluster cluster(LocalBrokerOptions options, int size, Consumer<String> listener)
      throws RungRefusedException {
    return new BrokerCluster(start(options, size, listener));
  }

  private List<PrivateNode> start(LocalBrokerOptions options, int size, Consumer<String> listener)
      throws RungRefusedException {
    RabbitHome home = home(options, listener);
    listener.accept(
        "Starting %s of RabbitMQ %s (%s)"
            .formatted(
                size == 1 ? "a private node" : size + " private nodes",
                home.version(),
                source.label()));
    List<PrivateNode> nodes = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      nodes.add(create(home, i == 0 ? options : options.withPort(0)));
    }
    PrivateNode first = nodes.get(0);
    List<PrivateNode> others = nodes.subList(1, size);
    try {
      List<CompletableFuture<Void>> starting =
          others.stream()
              .map(
                  node -> CompletableFuture.runAsync(node::start, task -> new Thread(task).start()))
              .toList();
      first.start();
      starting.forEach(CompletableFuture::join);
      others.forEach(node -> join(node, first));
      if (!options.plugins().stream().allMatch(plugin -> home.offers(plugin, List.of()))) {
        ActivePlugins.require(first, options); // its own plugins fit; one from elsewhere may not
      }
      return nodes;
    } catch (BrokerControlException | CompletionException e) {
      nodes.forEach(PrivateNode::close);
      Throwable cause = e instanceof CompletionException ? e.getCause() : e;
      if (cause instanceof BrokerControlException) {
        throw failed(home, cause);
      }
      throw e;
    } catch (RungRefusedException e) {
      nodes.forEach(PrivateNode::close);
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

  private RungRefusedException failed(RabbitHome home, Throwable e) {
    return new RungRefusedException(
        "RabbitMQ " + home.version() + " (" + source.label() + ") did not start: " + e.getMessage(),
        "Run " + home.script("rabbitmq-server") + " by hand to see why.");
  }
}
