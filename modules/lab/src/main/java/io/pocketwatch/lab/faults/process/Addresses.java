// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.process;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedPublisher;
import java.io.IOException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Where the nodes of a broker are. Connections made here do not come back by themselves: who uses
 * them does.
 *
 * @param uris at least one
 */
record Addresses(List<URI> uris) {
  private static final int CONNECT_MILLIS = 5_000;

  /** As {@code --broker} has them, with commas between them. */
  static Addresses parse(String text) {
    return new Addresses(Stream.of(text.split(",")).map(URI::create).toList());
  }

  ConnectionFactory factory() {
    try {
      ConnectionFactory factory = new ConnectionFactory();
      factory.setUri(uris.get(0));
      factory.setConnectionTimeout(CONNECT_MILLIS);
      return factory;
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("no address of a broker: " + uris, e);
    }
  }

  private List<Address> nodes() {
    return uris.stream().map(uri -> new Address(uri.getHost(), uri.getPort())).toList();
  }

  DelayedPublisher.Builder publisher() {
    return DelayedPublisher.builder(factory()).addresses(nodes());
  }

  /** To any of them. */
  Connection connect(String name) throws IOException, TimeoutException {
    ConnectionFactory factory = factory();
    factory.setAutomaticRecoveryEnabled(false);
    factory.setRequestedHeartbeat(10);
    List<Address> shuffled = new ArrayList<>(nodes());
    Collections.shuffle(shuffled);
    return factory.newConnection(shuffled, name);
  }
}
