// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds or starts a real RabbitMQ. Sources are tried in this order: an address, Docker, an
 * installed {@code rabbitmq-server}, downloaded Debian packages. The address is in the environment
 * variable {@code POCKETWATCH_BROKER}; for a wanted version it is in {@code POCKETWATCH_BROKER_4_3}
 * and so on. A source is passed over when it cannot supply what the options ask for.
 *
 * <p>What is started here listens on loopback only and touches no other broker of this machine. It
 * ends with this JVM at the latest, however the JVM ends. For a node that outlives the JVM see
 * {@link DetachedBroker}. All methods are thread-safe; they block until the broker accepts
 * connections.
 */
public final class LocalBroker {

  private static final Logger LOG = LoggerFactory.getLogger(LocalBroker.class);

  private LocalBroker() {}

  /**
   * One running node; the caller closes it.
   *
   * @throws BrokerUnavailableException if no source can supply it; the message tells what was tried
   */
  public static BrokerNode find(LocalBrokerOptions options, LadderListener listener) {
    BrokerNode node = ladder().climb(options, listener, rung -> rung.find(options, listener));
    LOG.debug("Using {}", node);
    return node;
  }

  /** As {@link #find(LocalBrokerOptions, LadderListener)}, without words on the way. */
  public static BrokerNode find(LocalBrokerOptions options) {
    return find(options, LadderListener.silent());
  }

  /**
   * A running cluster of controllable nodes; the caller closes it.
   *
   * @param size number of nodes, 1 to 7
   * @throws BrokerUnavailableException if no source can supply it; the message tells what was tried
   */
  public static BrokerCluster cluster(
      LocalBrokerOptions options, int size, LadderListener listener) {
    if (size < 1 || size > 7) {
      throw new IllegalArgumentException("a cluster of " + size + " nodes: 1 to 7 are possible");
    }
    LocalBrokerOptions controllable = options.withControllable(true);
    return ladder()
        .climb(controllable, listener, rung -> rung.cluster(controllable, size, listener));
  }

  /** As the other one, without words on the way. */
  public static BrokerCluster cluster(LocalBrokerOptions options, int size) {
    return cluster(options, size, LadderListener.silent());
  }

  private static Ladder ladder() {
    Environment environment = Environment.ofProcess();
    return new Ladder(
        List.of(
            new AddressRung(environment),
            new DockerRung(environment),
            new InstalledRung(environment),
            new PackagesRung(environment)));
  }
}
