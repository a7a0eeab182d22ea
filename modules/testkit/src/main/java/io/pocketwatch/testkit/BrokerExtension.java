// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testkit;

import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.localbroker.BrokerUnavailableException;
import io.pocketwatch.localbroker.LocalBrokerOptions;
import io.pocketwatch.localbroker.VirtualHost;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.TestAbortedException;

/**
 * Gives a test class a real RabbitMQ and a virtual host of its own in it.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final BrokerExtension broker = BrokerExtension.version("4.3");
 * }</pre>
 *
 * <p>The broker is found or started as {@link io.pocketwatch.localbroker.LocalBroker} does. All
 * classes of this JVM that ask for the same share it, and it ends with the test run. If none can be
 * had, the class fails with the reasons; it is never skipped for that. When the class ends,
 * connections it left open in its virtual host fail it, and the virtual host is deleted.
 *
 * <p>Configuration methods return a new extension. The other methods may be called from any thread
 * while the class runs; before and after that they throw {@link IllegalStateException}.
 */
public final class BrokerExtension implements BeforeAllCallback, AfterAllCallback {

  private final LocalBrokerOptions options;
  private final int size;
  private final boolean dedicated;
  private final boolean checkingLeaks;
  private final List<String> optionalPlugins;

  private @Nullable BrokerLease lease;
  private @Nullable VirtualHost virtualHost;
  private int depth;

  private BrokerExtension(
      LocalBrokerOptions options,
      int size,
      boolean dedicated,
      boolean checkingLeaks,
      List<String> optionalPlugins) {
    this.options = options;
    this.size = size;
    this.dedicated = dedicated;
    this.checkingLeaks = checkingLeaks;
    this.optionalPlugins = optionalPlugins;
  }

  /**
   * A broker of that version.
   *
   * @param version the beginning of a version in whole numbers: {@code 4.3}, {@code 3.10}
   */
  public static BrokerExtension version(String version) {
    return of(LocalBrokerOptions.defaults().withVersion(version));
  }

  /** Whatever version: the first of those this build asks, the newest in a plain one. */
  public static BrokerExtension anyVersion() {
    return version(System.getProperty("pocketwatch.it.versions", "4.3").split(",")[0]);
  }

  /** A broker as these options describe it. */
  public static BrokerExtension of(LocalBrokerOptions options) {
    return new BrokerExtension(options, 1, false, true, List.of());
  }

  /** The node that classes of this JVM with this wish share, for tests without an extension. */
  public static BrokerNode shared(LocalBrokerOptions options) {
    return BrokerLease.take(options, 1, false).node(0);
  }

  /** Nodes of its own for this class, which it may stop, kill, wipe and pause. */
  public BrokerExtension dedicated() {
    return new BrokerExtension(
        options.withControllable(true), size, true, checkingLeaks, optionalPlugins);
  }

  /** A cluster of that many nodes instead of a single one. */
  public BrokerExtension cluster(int nodes) {
    if (nodes < 2) {
      throw new IllegalArgumentException("a cluster of " + nodes + " nodes: at least 2");
    }
    return new BrokerExtension(
        options.withControllable(true), nodes, dedicated, checkingLeaks, optionalPlugins);
  }

  /** Changes what is asked for, for example further lines of {@code rabbitmq.conf}. */
  public BrokerExtension with(UnaryOperator<LocalBrokerOptions> change) {
    return new BrokerExtension(
        change.apply(options), size, dedicated, checkingLeaks, optionalPlugins);
  }

  /**
   * A broker with this plugin on. Where no plugin folder holds it, the class is aborted, with one
   * loud line on standard error.
   */
  public BrokerExtension requirePlugin(String plugin) {
    List<String> wanted = Stream.concat(optionalPlugins.stream(), Stream.of(plugin)).toList();
    List<String> all = Stream.concat(options.plugins().stream(), Stream.of(plugin)).toList();
    return new BrokerExtension(options.withPlugins(all), size, dedicated, checkingLeaks, wanted);
  }

  /** Without the check for connections left open, for classes that break them on purpose. */
  public BrokerExtension allowingOpenConnections() {
    return new BrokerExtension(options, size, dedicated, false, optionalPlugins);
  }

  /** The node, or the first node of the cluster. A shared one refuses to be stopped or killed. */
  public BrokerNode node() {
    return node(0);
  }

  /** One node of the cluster, counted from 0. */
  public BrokerNode node(int index) {
    return lease().node(index);
  }

  /** All nodes. */
  public List<BrokerNode> nodes() {
    return lease().nodes();
  }

  /** The name of this class's virtual host. */
  public String virtualHost() {
    return required(virtualHost).name();
  }

  /** A new factory for connections to the first node, in this class's virtual host. */
  public ConnectionFactory connectionFactory() {
    return connectionFactory(0);
  }

  /** A new factory for connections to that node, in this class's virtual host. */
  public ConnectionFactory connectionFactory(int index) {
    ConnectionFactory factory = node(index).connectionFactory();
    factory.setVirtualHost(virtualHost());
    return factory;
  }

  /** The address of the first node with this class's virtual host. */
  public URI amqpUri() {
    return required(virtualHost).amqpUri();
  }

  /** Makes this class's virtual host again, after a node was wiped and started. */
  public void restoreVirtualHost() {
    required(virtualHost).create();
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    if (depth++ > 0) {
      return; // a nested class: it shares what its outer class has
    }
    try {
      lease = BrokerLease.take(options, size, dedicated);
    } catch (BrokerUnavailableException e) {
      if (e.pluginMissing() && !optionalPlugins.isEmpty()) {
        throw abort(context, e);
      }
      throw e;
    }
    VirtualHost fresh =
        VirtualHost.on(lease().node(0), context.getRequiredTestClass().getSimpleName());
    fresh.create();
    virtualHost = fresh;
  }

  private TestAbortedException abort(ExtensionContext context, BrokerUnavailableException cause) {
    String line =
        "NOT RUN: %s needs the broker plugin %s, and no plugin folder holds it"
            .formatted(
                context.getRequiredTestClass().getSimpleName(), String.join(", ", optionalPlugins));
    return aborted(line, " (POCKETWATCH_BROKER_PLUGINS names the folders)", cause);
  }

  /** A test that did not run must be seen to. */
  static TestAbortedException aborted(String why, String advice, @Nullable Throwable cause) {
    System.err.println("### " + why + advice + " ###");
    return new TestAbortedException(why, cause);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (--depth > 0) {
      return;
    }
    BrokerLease ending = lease;
    VirtualHost host = virtualHost;
    lease = null;
    virtualHost = null;
    try {
      if (host != null && ending != null) {
        close(ending, host);
      }
    } finally {
      if (ending != null) {
        ending.close();
      }
    }
  }

  private void close(BrokerLease ending, VirtualHost host) {
    try {
      if (checkingLeaks) {
        ending.nodes().forEach(node -> ConnectionLeaks.check(node, host.name()));
      }
    } finally {
      host.delete();
    }
  }

  private BrokerLease lease() {
    return required(lease);
  }

  private static <T> T required(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException(
          "no broker outside of a running test class; register this extension in a static field");
    }
    return Objects.requireNonNull(value);
  }
}
