// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit;

import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.BrokerSource;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** A node other test classes rely on: it can be used and commanded, not taken away. */
record SharedNode(BrokerNode node) implements BrokerNode {

  @Override
  public String name() {
    return node.name();
  }

  @Override
  public String version() {
    return node.version();
  }

  @Override
  public BrokerSource source() {
    return node.source();
  }

  @Override
  public URI amqpUri() {
    return node.amqpUri();
  }

  @Override
  public Optional<URI> managementUri() {
    return node.managementUri();
  }

  @Override
  public boolean running() {
    return node.running();
  }

  @Override
  public void start() {
    throw refused("started");
  }

  @Override
  public void stop() {
    throw refused("stopped");
  }

  @Override
  public void kill() {
    throw refused("killed");
  }

  @Override
  public void wipe() {
    throw refused("wiped");
  }

  @Override
  public void pause() {
    throw refused("paused");
  }

  @Override
  public void resume() {
    throw refused("resumed");
  }

  /** Whoever changes the node as a whole, a memory limit for one, puts it back. */
  @Override
  public String ctl(String... arguments) {
    return node.ctl(arguments);
  }

  @Override
  public String log() {
    return node.log();
  }

  @Override
  public long residentBytes() {
    return node.residentBytes();
  }

  @Override
  public Duration cpuTime() {
    return node.cpuTime();
  }

  @Override
  public void close() {
    throw refused("closed");
  }

  @Override
  public String toString() {
    return node + ", shared";
  }

  private UnsupportedOperationException refused(String what) {
    return new UnsupportedOperationException(
        "Other test classes use node "
            + name()
            + ", so it cannot be "
            + what
            + "; add dedicated() to the BrokerExtension for a node of this class's own");
  }
}
