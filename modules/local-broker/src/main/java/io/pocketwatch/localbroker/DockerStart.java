// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.utility.DockerImageName;

/** Brings a broker up in Docker, or says why not. */
final class DockerStart {

  private DockerStart() {}

  static BrokerNode start(
      Environment base, String version, LocalBrokerOptions options, LadderListener listener)
      throws RungRefusedException {
    DockerImageName image = DockerImageName.parse("rabbitmq:" + version + "-management");
    DockerEngine.connect().require(image, listener);
    listener.report("Docker answers, starting " + image.asCanonicalNameString());
    List<Path> folders = new ArrayList<>(options.pluginFolders());
    folders.addAll(base.pluginFolders(version));
    String host = DockerClientFactory.instance().dockerHostIpAddress();
    FreePorts ports = FreePorts.of(base);
    DockerNode node =
        new DockerNode(
            host,
            NodePorts.pick(ports, options.port(), options.plugins()),
            options,
            image,
            folders);
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
}
