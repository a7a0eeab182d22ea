// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import com.rabbitmq.client.ConnectionFactory;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/**
 * One RabbitMQ node. Its holder may control it, unless it was only found at an address. Then
 * methods that control it, or look into its process, throw {@link UnsupportedOperationException}.
 *
 * <p>Thread-safe; control calls on one node run one after the other. They block until the effect is
 * there: after {@link #start()} the node accepts connections, after {@link #kill()} its process is
 * gone. A call that fails throws {@link BrokerControlException}.
 */
public interface BrokerNode extends AutoCloseable {

  /** The node's short name, or the host and port of an address. */
  String name();

  /** The full RabbitMQ version, for example {@code 4.3.6}. */
  String version();

  /** Where this node came from. */
  BrokerSource source();

  /** Address with user and password; the same before and after a restart. */
  URI amqpUri();

  /** Address of the management page and API, when the management plugin is on and it is known. */
  Optional<URI> managementUri();

  /** Whether the node's process runs; for an address, whether it answers now. */
  boolean running();

  /** Starts the node on the same ports with the data it has; does nothing when it runs. */
  void start();

  /** Stops the node in an orderly way; does nothing when it does not run. */
  void stop();

  /** Ends the node's process at once, as a power cut would (SIGKILL). Data stays. */
  void kill();

  /** Kills the node and deletes its data; {@link #start()} then begins with an empty node. */
  void wipe();

  /** Freezes the node's process: connections stay open, nothing answers. */
  void pause();

  /** Lets a paused node go on. */
  void resume();

  /**
   * Sets the node's clock, until it is set again or the node is wiped; other programs keep theirs.
   * The node's monotonic clock is not affected.
   *
   * @param ahead of this machine's clock; negative for behind
   * @throws UnsupportedOperationException unless {@link LocalBrokerOptions#settableClock} was asked
   *     for
   */
  default void setClock(Duration ahead) {
    throw new UnsupportedOperationException(
        "the clock of " + name() + " cannot be set; ask for a node with a settable clock");
  }

  /** Runs {@code rabbitmqctl} with these arguments on this node and returns what it printed. */
  String ctl(String... arguments);

  /** The node's log since it was made or wiped. */
  String log();

  /** Memory the node's process occupies, in bytes. */
  long residentBytes();

  /** Processor time the node's process has used since it started. */
  Duration cpuTime();

  /**
   * Ends the node and deletes its files. Does nothing for an address or a detached node, which are
   * not the caller's.
   */
  @Override
  void close();

  /**
   * A new connection factory for {@link #amqpUri()}, with the client's default settings. With TLS
   * ({@code amqps}) it connects only to a broker whose certificate this JVM trusts and that is made
   * out to the host.
   */
  default ConnectionFactory connectionFactory() {
    return AmqpProbe.factory(amqpUri());
  }
}
