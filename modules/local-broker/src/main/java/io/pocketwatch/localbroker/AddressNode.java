// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** A broker that was found at an address, and cannot be controlled from here. */
record AddressNode(URI amqpUri, String version) implements BrokerNode {

  @Override
  public String name() {
    return amqpUri.getHost() + (amqpUri.getPort() < 0 ? "" : ":" + amqpUri.getPort());
  }

  @Override
  public BrokerSource source() {
    return BrokerSource.ADDRESS;
  }

  @Override
  public Optional<URI> managementUri() {
    return Optional.empty();
  }

  @Override
  public boolean running() {
    return AmqpProbe.answers(amqpUri);
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

  @Override
  public String ctl(String... arguments) {
    throw refused("commanded with rabbitmqctl");
  }

  @Override
  public String log() {
    throw refused("asked for its log");
  }

  @Override
  public long residentBytes() {
    throw refused("measured");
  }

  @Override
  public Duration cpuTime() {
    throw refused("measured");
  }

  @Override
  public void close() {
    // There is nothing to close: connections belong to their openers, the broker to its owner.
  }

  @Override
  public String toString() {
    return "RabbitMQ " + version + " at " + AmqpProbe.masked(amqpUri);
  }

  private UnsupportedOperationException refused(String what) {
    return new UnsupportedOperationException(
        "The broker at "
            + AmqpProbe.masked(amqpUri)
            + " was only found at its address and cannot be "
            + what
            + "; ask for a controllable one");
  }
}
