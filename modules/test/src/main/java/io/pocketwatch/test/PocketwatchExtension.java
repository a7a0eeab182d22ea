// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.test;

import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.localbroker.VirtualHost;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Gives a test class a virtual host of its own on a real RabbitMQ:
 *
 * <pre>{@code
 * @RegisterExtension
 * static final PocketwatchExtension pocketwatch = new PocketwatchExtension();
 * }</pre>
 *
 * <p>The broker is that of the system property {@code pocketwatch.broker} or the variable {@code
 * POCKETWATCH_BROKER}; there the management plugin must be on. Without them it is a container,
 * where Docker answers and {@code org.testcontainers:testcontainers-rabbitmq} is on the class path.
 * Else it is an installed {@code rabbitmq-server}, or Debian's package, downloaded once. All
 * classes of a JVM share it, and it ends with that. If no broker can be had, the class fails, and
 * says what was tried.
 *
 * <p>Register it in a static field. Outside of a running class its methods throw {@link
 * IllegalStateException}.
 */
public final class PocketwatchExtension implements BeforeAllCallback, AfterAllCallback {
  private @Nullable VirtualHost virtualHost;
  private int depth;

  /** A new factory for connections into the class's virtual host. */
  public ConnectionFactory connectionFactory() {
    return virtualHost().connectionFactory();
  }

  /** The address of the class's virtual host, with user and password. */
  public URI amqpUri() {
    return virtualHost().amqpUri();
  }

  /** Moves time for what this publisher, and others with its routes and store, have sent. */
  public TestTime time(DelayedPublisher publisher) {
    VirtualHost host = virtualHost();
    ConnectionFactory factory = host.connectionFactory();
    return new TestTime(publisher, () -> factory.newConnection(TestTime.NAME), host::queues);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    if (depth++ == 0) { // a nested class shares its outer class's host
      virtualHost = SharedBroker.virtualHost(context.getRequiredTestClass().getSimpleName());
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    VirtualHost ending = virtualHost;
    if (--depth == 0 && ending != null) {
      virtualHost = null;
      ending.delete();
    }
  }

  private VirtualHost virtualHost() {
    VirtualHost host = virtualHost;
    if (host == null) {
      throw new IllegalStateException(
          "no broker outside of a running test class; register this extension in a static field");
    }
    return host;
  }
}
