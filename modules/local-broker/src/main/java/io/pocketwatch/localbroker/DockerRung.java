// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A container of the public image, where Testcontainers is on the class path. */
final class DockerRung implements Rung {

  private final Environment base;

  DockerRung(Environment base) {
    this.base = base;
  }

  @Override
  public BrokerSource source() {
    return BrokerSource.DOCKER;
  }

  @Override
  public BrokerNode find(LocalBrokerOptions options, Consumer<String> listener)
      throws RungRefusedException {
    requireTestcontainers();
    @Nullable String version = options.version();
    return DockerContainers.start(
        base, version == null ? Versions.DEFAULT : version, options, listener);
  }

  /** The dependency is optional; nothing that names its classes is loaded before this. */
  private static void requireTestcontainers() throws RungRefusedException {
    for (String name :
        List.of(
            "org.testcontainers.rabbitmq.RabbitMQContainer",
            "com.github.dockerjava.api.DockerClient")) {
      try {
        Class.forName(name, false, DockerRung.class.getClassLoader());
      } catch (ClassNotFoundException e) {
        throw new RungRefusedException(
            "Docker is not tried: Testcontainers is not on the class path",
            "Add org.testcontainers:testcontainers-rabbitmq to the dependencies.");
      }
    }
  }
}
