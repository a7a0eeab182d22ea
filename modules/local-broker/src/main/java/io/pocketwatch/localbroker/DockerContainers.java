// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.rabbitmq.RabbitMQContainer;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.MountableFile;

/** Starts the container of a node, with its ports, configuration and plugins. */
final class DockerContainers {

  private static final int AMQP = 5672;
  private static final int MANAGEMENT = 15672;
  private static final String PLUGIN_FOLDER = "/pocketwatch-plugins";

  /** Finds the image's own plugin folder, which differs between images, and adds ours. */
  private static final String ENTRY =
      """
      for d in /opt/rabbitmq/plugins /usr/lib/rabbitmq/lib/rabbitmq_server-*/plugins; do
        [ ! -d "$d" ] || export RABBITMQ_PLUGINS_DIR="$d:%s"
      done
      exec docker-entrypoint.sh rabbitmq-server"""
          .formatted(PLUGIN_FOLDER);

  private DockerContainers() {}

  /** Brings a broker up, or says why not. */
  static BrokerNode start(
      Environment base, String version, LocalBrokerOptions options, Consumer<String> listener)
      throws RungRefusedException {
    DockerImageName image = DockerImageName.parse("rabbitmq:" + version + "-management");
    DockerEngine.connect().require(image, listener);
    listener.accept("Docker answers, starting " + image.asCanonicalNameString());
    String host = DockerClientFactory.instance().dockerHostIpAddress();
    FreePorts ports = FreePorts.of(base);
    DockerNode node =
        new DockerNode(
            host,
            NodePorts.pick(ports, options.port(), options.plugins()),
            options,
            image,
            options.pluginFolders(base, version));
    try {
      node.start();
    } catch (RuntimeException e) { // Testcontainers has no type for "did not start"
      node.close();
      throw new RungRefusedException(
          "Docker answers, but " + image.asCanonicalNameString() + " does not start: " + e,
          "Run docker run --rm " + image.asCanonicalNameString() + " to see why.");
    }
    try {
      check(node, options);
    } catch (RungRefusedException e) {
      node.close();
      throw e;
    }
    return node;
  }

  private static void check(DockerNode node, LocalBrokerOptions options)
      throws RungRefusedException {
    if (!Versions.fits(node.version(), options.version())) {
      throw new RungRefusedException(
          "The image holds RabbitMQ " + node.version() + ", wanted is " + options.version(),
          "Pull the image again.");
    }
    ActivePlugins.require(node, options);
  }

  static RabbitMQContainer create(
      String host,
      NodePorts ports,
      LocalBrokerOptions options,
      DockerImageName image,
      List<Path> pluginFolders) {
    List<String> lines = new ArrayList<>(options.configLines());
    lines.add("loopback_users.guest = false"); // seen from inside, we come from elsewhere
    RabbitMQContainer container =
        new RabbitMQContainer(image)
            .withCopyToContainer(
                Transferable.of(String.join("\n", lines) + "\n"),
                "/etc/rabbitmq/conf.d/90-pocketwatch.conf")
            .withCopyToContainer(
                Transferable.of(NodeFolder.enabledPlugins(options.plugins())),
                "/etc/rabbitmq/enabled_plugins")
            .withCreateContainerCmdModifier(create -> bindPorts(create, host, ports))
            .withStartupTimeout(options.startTimeout());
    // Testcontainers waits until every exposed port is mapped; its own list has those for TLS too.
    container.setExposedPorts(ports.management() > 0 ? List.of(AMQP, MANAGEMENT) : List.of(AMQP));
    String advanced = options.advancedConfig();
    if (advanced != null) {
      container.withCopyToContainer(Transferable.of(advanced), "/etc/rabbitmq/advanced.config");
    }
    if (!pluginFolders.isEmpty()) {
      pluginFolders.forEach(
          folder ->
              container.withCopyFileToContainer(MountableFile.forHostPath(folder), PLUGIN_FOLDER));
      container.withCreateContainerCmdModifier(create -> create.withEntrypoint("sh", "-c", ENTRY));
    }
    return container;
  }

  private static void bindPorts(CreateContainerCmd create, String host, NodePorts ports) {
    Ports bindings = new Ports();
    bindings.add(binding(host, AMQP, ports.amqp()));
    if (ports.management() > 0) {
      bindings.add(binding(host, MANAGEMENT, ports.management()));
    }
    HostConfig config = Optional.ofNullable(create.getHostConfig()).orElseGet(HostConfig::new);
    create.withHostConfig(config.withPortBindings(bindings));
  }

  /** Loopback only, except where the engine is elsewhere and could not be reached. */
  private static PortBinding binding(String host, int inside, int outside) {
    Ports.Binding binding =
        host.equals("localhost") || host.startsWith("127.")
            ? Ports.Binding.bindIpAndPort("127.0.0.1", outside)
            : Ports.Binding.bindPort(outside);
    return new PortBinding(binding, ExposedPort.tcp(inside));
  }
}
