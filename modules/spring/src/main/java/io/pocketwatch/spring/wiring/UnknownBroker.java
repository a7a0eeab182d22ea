// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.spring.wiring;

import com.rabbitmq.client.AddressResolver;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.util.concurrent.ExecutorService;

/**
 * Stands for a broker that nobody can name, as that of a connection factory which a test has
 * mocked. An application starts with it as with a broker that is away.
 */
final class UnknownBroker extends ConnectionFactory {
  private final String problem;

  UnknownBroker(String problem) {
    this.problem = problem;
    setHost("(unknown)");
  }

  @Override
  public Connection newConnection(
      ExecutorService executor, AddressResolver addresses, String clientProvidedName)
      throws IOException {
    throw new IOException(problem);
  }
}
