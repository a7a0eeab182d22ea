// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds or starts a real RabbitMQ. Sources are tried in this order: an address, Docker, an
 * installed {@code rabbitmq-server}, downloaded Debian packages. The address is in the environment
 * variable {@code POCKETWATCH_BROKER} or the system property {@code pocketwatch.broker}; for a
 * wanted version it is in {@code POCKETWATCH_BROKER_4_3} and so on. A source is passed over when it
 * cannot supply what the options ask for.
 *
 * <p>A broker that is started here listens on loopback only and touches no other broker of this
 * machine. It ends with this JVM at the latest, however the JVM ends. For a node that outlives the
 * JVM see {@link DetachedBroker}. All methods are thread-safe; they block until the broker accepts
 * connections.
 */
public final class LocalBroker {

  private static final Logger LOG = LoggerFactory.getLogger(LocalBroker.class);

  private LocalBroker() {}

  /**
   * One running node; the caller closes it.
   *
   * @param listener receives a line of text for each source that is tried, fails or is used
   * @throws BrokerUnavailableException if no source can supply it; the message tells what was tried
   */
  public static BrokerNode find(LocalBrokerOptions options, Consumer<String> listener) {
    BrokerNode node = ladder().climb(options, listener, rung -> rung.find(options, listener));
    LOG.debug("Using {}", node);
    return node;
  }

  /** As {@link #find(LocalBrokerOptions, Consumer)}, without a listener. */
  public static BrokerNode find(LocalBrokerOptions options) {
    return find(options, line -> {});
  }

  /**
   * A running cluster; the caller closes it. Several nodes can always be controlled. A single one
   * is found as by {@link #find(LocalBrokerOptions, Consumer)}.
   *
   * @param size number of nodes, 1 to 7
   * @throws BrokerUnavailableException if no source can supply it; the message tells what was tried
   */
  public static BrokerCluster cluster(
      LocalBrokerOptions options, int size, Consumer<String> listener) {
    if (size < 1 || size > 7) {
      throw new IllegalArgumentException("a cluster of " + size + " nodes: 1 to 7 are possible");
    }
    if (size == 1) {
      return new BrokerCluster(List.of(find(options, listener)));
    }
    LocalBrokerOptions controllable = options.withControllable(true);
    return ladder()
        .climb(controllable, listener, rung -> rung.cluster(controllable, size, listener));
  }

  /** As {@link #cluster(LocalBrokerOptions, int, Consumer)}, without a listener. */
  public static BrokerCluster cluster(LocalBrokerOptions options, int size) {
    return cluster(options, size, line -> {});
  }

  private static Ladder<Rung> ladder() {
    Environment environment = Environment.ofProcess();
    return new Ladder<>(
        List.of(
            new AddressRung(environment),
            new DockerRung(environment),
            new InstalledRung(environment),
            new PackagesRung(environment)));
  }
}
