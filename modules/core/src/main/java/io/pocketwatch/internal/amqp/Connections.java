// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.amqp;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.AddressResolver;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.SocketConfigurator;
import com.rabbitmq.client.impl.StrictExceptionHandler;
import io.pocketwatch.config.PublisherOptions;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Heartbeats;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.base.Threads;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens connections. Recovery is ours: the client's would resume before topology is checked. */
public final class Connections {
  private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

  /** A declaration may wait for an election; for longer than this nobody should wait. */
  private static final Duration RPC_TIMEOUT = Duration.ofSeconds(30);

  /** For connections that one can do without. */
  private static final Duration QUICK = Duration.ofSeconds(2);

  /** What a factory has whose user says nothing of threads; they keep an application alive. */
  private static final Class<?> USUAL_THREADS = Executors.defaultThreadFactory().getClass();

  private final ConnectionFactory factory;
  private final AddressResolver addresses;

  /**
   * @param addresses asked for each connection; none for the host and port of the factory
   */
  public Connections(ConnectionFactory factory, AddressResolver addresses) {
    this.factory = factory.clone();
    this.factory.setAutomaticRecoveryEnabled(false);
    this.factory.setTopologyRecoveryEnabled(false);
    Heartbeats.limit(this.factory);
    if (USUAL_THREADS.isInstance(this.factory.getThreadFactory())) {
      this.factory.setThreadFactory(Threads.named("pocketwatch-amqp"));
    }
    this.addresses = addresses;
  }

  /**
   * @param purpose appears in the connection's name, for whoever looks at the broker
   */
  Connection open(String purpose) throws IOException, TimeoutException {
    return open(factory.clone(), purpose, RPC_TIMEOUT);
  }

  /** A connection that the broker may close on us, which is an answer and nothing to log. */
  public Connection openQuietly(String purpose) throws IOException, TimeoutException {
    return open(quiet(), purpose, RPC_TIMEOUT);
  }

  private ConnectionFactory quiet() {
    ConnectionFactory own = factory.clone();
    own.setExceptionHandler(
        new StrictExceptionHandler() {
          @Override
          protected void log(String message, Throwable error) {
            LOG.debug(message, error);
          }
        });
    return own;
  }

  /**
   * A connection that publishes. Its calls to the broker are made by publishing threads, so they
   * wait no longer than those may.
   */
  PublishSession openForPublishing(PublisherOptions options, Scheduler scheduler)
      throws IOException, TimeoutException {
    ConnectionFactory own = factory.clone();
    SocketConfigurator configurator = own.getSocketConfigurator();
    AtomicReference<Socket> last = new AtomicReference<>();
    own.setSocketConfigurator(
        socket -> {
          if (configurator != null) {
            configurator.configure(socket);
          }
          last.set(socket);
        });
    Connection connection = open(own, "publish", options.confirmTimeout());
    return new PublishSession(connection, last.get(), options.channels(), scheduler);
  }

  /** The addresses we were given, each of which may be another node. */
  public List<Address> nodes() throws IOException {
    List<Address> given = addresses.getAddresses();
    return given.isEmpty() ? List.of(new Address(factory.getHost(), factory.getPort())) : given;
  }

  /** A connection to this address or none, and that soon. The broker may close it on us. */
  public Connection openTo(Address node, String purpose) throws IOException, TimeoutException {
    ConnectionFactory own = quiet();
    own.setConnectionTimeout(Math.toIntExact(QUICK.toMillis()));
    return open(own, List.of(node), purpose, RPC_TIMEOUT);
  }

  private Connection open(ConnectionFactory own, String purpose, Duration patience)
      throws IOException, TimeoutException {
    return open(own, addresses.getAddresses(), purpose, patience);
  }

  private static Connection open(
      ConnectionFactory own, List<Address> addresses, String purpose, Duration patience)
      throws IOException, TimeoutException {
    int rpcTimeout = Math.toIntExact(patience.toMillis());
    int configured = own.getChannelRpcTimeout();
    own.setChannelRpcTimeout(configured == 0 ? rpcTimeout : Math.min(configured, rpcTimeout));
    String name = "pocketwatch " + purpose;
    return addresses.isEmpty() ? own.newConnection(name) : own.newConnection(addresses, name);
  }

  public String userName() {
    return factory.getUsername();
  }

  public String virtualHost() {
    return factory.getVirtualHost();
  }

  /** Where we connect to, without credentials. */
  String describe() {
    String where;
    try {
      List<Address> given = addresses.getAddresses();
      where = given.isEmpty() ? factory.getHost() + ":" + factory.getPort() : given.toString();
    } catch (IOException e) {
      where = "an address that cannot be told (" + ErrorWords.of(e) + ")";
    }
    return where + ", vhost " + factory.getVirtualHost();
  }
}
