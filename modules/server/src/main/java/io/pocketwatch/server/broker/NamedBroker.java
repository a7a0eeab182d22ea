// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.broker;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.pocketwatch.BrokerIdentity;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Heartbeats;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A broker that the user named, and that answered.
 *
 * @param uri the address of the node that answered
 * @param version of RabbitMQ there
 * @param nodes the nodes of its cluster; empty if only one address was named
 * @param management address of its management API, where that is known
 */
public record NamedBroker(URI uri, String version, List<Address> nodes, Optional<URI> management) {
  private static final int CONNECT_MILLIS = 10_000;
  private static final int ANSWER_MILLIS = 30_000;

  /**
   * The given broker; else that of the environment; else the {@link DefaultBroker}, if it runs.
   * None is ever started: that suits a demo, but in production it would hide that no broker was
   * named.
   *
   * @throws CommandFailedException if none is named, or none of those named answers
   */
  public static NamedBroker require(@Nullable BrokerAddresses given, Consumer<String> words) {
    return find(given, words)
        .or(
            () ->
                ServiceLoader.load(DefaultBroker.class).findFirst().flatMap(DefaultBroker::running))
        .orElseThrow(
            () ->
                new CommandFailedException(
                    ExitCodes.NO_BROKER,
                    "no broker is named: give --broker URI or set POCKETWATCH_BROKER; to try it out"
                        + " in a source tree: ./pocketwatch broker start"));
  }

  /**
   * The given broker, or that of the environment, if there is either. Of several addresses, the
   * first that answers is taken.
   *
   * @throws CommandFailedException if none of those named answers
   */
  public static Optional<NamedBroker> find(
      @Nullable BrokerAddresses given, Consumer<String> words) {
    return named(given).map(addresses -> answering(addresses, given == null, words));
  }

  private static Optional<BrokerAddresses> named(@Nullable BrokerAddresses given) {
    try {
      return given == null ? BrokerAddresses.named(System.getenv()) : Optional.of(given);
    } catch (IllegalArgumentException e) {
      throw new CommandFailedException(
          ExitCodes.NO_BROKER, BrokerAddresses.VARIABLE + " " + ErrorWords.of(e), e);
    }
  }

  private static NamedBroker answering(
      BrokerAddresses addresses, boolean fromVariable, Consumer<String> words) {
    String where = fromVariable ? BrokerAddresses.VARIABLE : "--broker";
    CommandFailedException last = null;
    for (URI each : addresses.uris()) {
      String said = where + ": " + Handshake.masked(each);
      words.accept(said);
      try {
        return new NamedBroker(each, Handshake.version(each), addresses.nodes(), Optional.empty());
      } catch (IOException e) {
        last =
            new CommandFailedException(
                ExitCodes.NO_BROKER, said + ": " + ConnectFailure.words(e, each), e);
      }
      if (addresses.several()) {
        words.accept("No answer");
      }
    }
    throw Objects.requireNonNull(last);
  }

  /** A new connection factory, with the client's default settings. */
  public ConnectionFactory connectionFactory() {
    return Handshake.factory(uri);
  }

  /** With limits: otherwise a broker that hangs would block a caller for ten minutes. */
  private ConnectionFactory bounded() {
    ConnectionFactory factory = connectionFactory();
    factory.setConnectionTimeout(CONNECT_MILLIS);
    factory.setChannelRpcTimeout(ANSWER_MILLIS);
    Heartbeats.limit(factory);
    return factory;
  }

  /** A connection to any of its nodes, without automatic recovery. */
  public Connection connect(String name) throws IOException, TimeoutException {
    ConnectionFactory factory = bounded();
    factory.setAutomaticRecoveryEnabled(false);
    return nodes.isEmpty() ? factory.newConnection(name) : factory.newConnection(nodes, name);
  }

  /**
   * As {@link #connect}, for consumers of messages that others have sent. Messages that no client
   * can read arrive as {@link TolerantConnection} says, and must be checked for.
   */
  public Connection connectTolerantly(String name) throws IOException, TimeoutException {
    return TolerantConnection.open(bounded(), nodes, name);
  }

  /**
   * The identity of the broker, as it reports it.
   *
   * @throws CommandFailedException if it does not answer
   */
  public BrokerIdentity identity() {
    try {
      return Channels.use(
          connect("pocketwatch identity"),
          connection -> BrokerIdentity.of(connection, connectionFactory().getVirtualHost()));
    } catch (IOException | TimeoutException e) {
      throw new CommandFailedException(
          ExitCodes.NO_BROKER, Handshake.masked(uri) + ": " + ErrorWords.of(e), e);
    }
  }

  /** The capabilities that the names of queues depend on. */
  public BrokerCapabilities capabilities(Connection connection) {
    String there = String.valueOf(connection.getServerProperties().get("version"));
    return new BrokerCapabilities(there, false, false, 0, userName());
  }

  /** Its host with the port, and its vhost. */
  public Map<String, String> place() {
    ConnectionFactory factory = connectionFactory();
    return Map.of(
        "broker", factory.getHost() + ":" + factory.getPort(), "vhost", factory.getVirtualHost());
  }

  public String userName() {
    return connectionFactory().getUsername();
  }

  /** A builder for a publisher that goes on with another node when its own is gone. */
  public DelayedPublisher.Builder publisher() {
    return DelayedPublisher.builder(connectionFactory()).addresses(nodes);
  }

  /** Leaves the password out. */
  @Override
  public String toString() {
    return "RabbitMQ " + version + " at " + Handshake.masked(uri);
  }
}
