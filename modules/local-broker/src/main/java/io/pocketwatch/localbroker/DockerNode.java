// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.rabbitmq.RabbitMQContainer;
import org.testcontainers.utility.DockerImageName;

/** A node in a container. Its ports are fixed, so that they are the same after a restart. */
final class DockerNode implements BrokerNode {

  private static final int STOP_SECONDS = 60;

  /** Reads the CPU time; with cgroups of version 1 from another file, in nanoseconds. */
  private static final String CPU_STAT =
      "cat /sys/fs/cgroup/cpu.stat 2>/dev/null"
          + " || echo usage_usec $(($(cat /sys/fs/cgroup/cpuacct/cpuacct.usage) / 1000))";

  private static final Pattern CPU_MICROS = Pattern.compile("usage_usec (\\d+)");
  private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s*(\\d+) kB");

  private final String host;
  private final NodePorts ports;
  private final LocalBrokerOptions options;
  private final RabbitMQContainer container;
  private String version = "";

  DockerNode(
      String host,
      NodePorts ports,
      LocalBrokerOptions options,
      DockerImageName image,
      List<Path> pluginFolders) {
    this.host = host;
    this.ports = ports;
    this.options = options;
    this.container = DockerContainers.create(host, ports, options, image, pluginFolders);
  }

  @Override
  public String name() {
    return "docker-" + ports.amqp();
  }

  @Override
  public String version() {
    return version;
  }

  @Override
  public BrokerSource source() {
    return BrokerSource.DOCKER;
  }

  @Override
  public URI amqpUri() {
    return ports.amqpUri(host);
  }

  @Override
  public Optional<URI> managementUri() {
    return ports.managementUri(host);
  }

  @Override
  public boolean running() {
    return container.isRunning();
  }

  @Override
  public synchronized void start() {
    if (running()) {
      return;
    }
    if (container.getContainerId() == null) {
      container.start();
    } else {
      container.getDockerClient().startContainerCmd(container.getContainerId()).exec();
    }
    if (!Polling.until(options.startTimeout(), this::answers)) {
      throw new BrokerControlException(
          "node " + name() + " does not answer after " + options.startTimeout().toSeconds() + " s");
    }
  }

  private boolean answers() {
    try {
      version = AmqpProbe.version(amqpUri());
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public synchronized void stop() {
    if (running()) {
      resumeIfPaused();
      container
          .getDockerClient()
          .stopContainerCmd(container.getContainerId())
          .withTimeout(STOP_SECONDS)
          .exec();
    }
  }

  @Override
  public synchronized void kill() {
    if (running()) {
      resumeIfPaused();
      container.getDockerClient().killContainerCmd(container.getContainerId()).exec();
      Polling.until(options.startTimeout(), () -> !running());
    }
  }

  @Override
  public synchronized void wipe() {
    container.stop(); // Testcontainers kills and removes it, with its volumes
  }

  @Override
  public synchronized void pause() {
    container.getDockerClient().pauseContainerCmd(container.getContainerId()).exec();
  }

  @Override
  public synchronized void resume() {
    container.getDockerClient().unpauseContainerCmd(container.getContainerId()).exec();
  }

  /** A paused container takes no signal. */
  private void resumeIfPaused() {
    if (Boolean.TRUE.equals(container.getCurrentContainerInfo().getState().getPaused())) {
      resume();
    }
  }

  @Override
  public String ctl(String... arguments) {
    List<String> line = new ArrayList<>(List.of("rabbitmqctl"));
    line.addAll(List.of(arguments));
    return inside(line);
  }

  @Override
  public String log() {
    return container.getLogs();
  }

  @Override
  public long residentBytes() {
    return RESIDENT
        .matcher(inside(List.of("sh", "-c", "cat /proc/[0-9]*/status")))
        .results()
        .mapToLong(found -> Long.parseLong(found.group(1)) * 1024)
        .max()
        .orElseThrow(() -> new BrokerControlException("node " + name() + " tells no memory use"));
  }

  @Override
  public Duration cpuTime() {
    return CPU_MICROS
        .matcher(inside(List.of("sh", "-c", CPU_STAT)))
        .results()
        .map(found -> Duration.of(Long.parseLong(found.group(1)), ChronoUnit.MICROS))
        .findFirst()
        .orElseThrow(() -> new BrokerControlException("node " + name() + " tells no cpu time"));
  }

  private String inside(List<String> line) {
    try {
      ExecResult result = container.execInContainer(line.toArray(String[]::new));
      if (result.getExitCode() != 0) {
        throw new BrokerControlException(
            "%s on node %s ended with %s: %s"
                .formatted(
                    String.join(" ", line),
                    name(),
                    result.getExitCode(),
                    (result.getStderr() + result.getStdout()).strip()));
      }
      return result.getStdout();
    } catch (IOException e) {
      throw new BrokerControlException(
          String.join(" ", line) + " on node " + name() + " failed", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BrokerControlException("interrupted during " + String.join(" ", line), e);
    }
  }

  @Override
  public void close() {
    wipe();
    ports.giveBack();
  }

  @Override
  public String toString() {
    return "RabbitMQ %s, port %s (Docker)".formatted(version, ports.amqp());
  }
}
