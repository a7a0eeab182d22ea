// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TCP proxy on a loopback port, to break the network between a client and a broker on purpose.
 * Thread-safe. Takes at most {@value #MAX_CONNECTIONS} connections at a time; more are reset.
 */
public final class NetworkProxy implements AutoCloseable {

  /** The direction of bytes. */
  public enum Direction {
    /** What the client sends: publishes, acknowledgements. */
    TO_BROKER,
    /** What the broker sends: confirms, returns, deliveries. */
    TO_CLIENT
  }

  private static final int MAX_CONNECTIONS = 256;
  private static final int CONNECT_MILLIS = 5_000;
  private static final int BUFFER_BYTES = 16 * 1024;

  private final InetSocketAddress target;
  private final ServerSocket server;
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private final Set<Direction> stalled = EnumSet.noneOf(Direction.class);
  private final AtomicInteger accepted = new AtomicInteger();
  private boolean cut;

  private NetworkProxy(InetSocketAddress target, ServerSocket server) {
    this.target = target;
    this.server = server;
  }

  /** A proxy in front of the broker at this AMQP address. */
  public static NetworkProxy to(URI amqpUri) {
    int port = amqpUri.getPort() < 0 ? 5672 : amqpUri.getPort();
    return to(amqpUri.getHost(), port);
  }

  /** A proxy in front of this host and port. */
  public static NetworkProxy to(String host, int port) {
    try {
      ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      NetworkProxy proxy = new NetworkProxy(new InetSocketAddress(host, port), server);
      daemon("network-proxy-" + server.getLocalPort(), proxy::accept);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException("no loopback port for a proxy", e);
    }
  }

  /** The loopback host name clients use instead of the broker's. */
  public String host() {
    return server.getInetAddress().getHostAddress();
  }

  /** The port clients use instead of the broker's. */
  public int port() {
    return server.getLocalPort();
  }

  /** How many connections are open now. */
  public int connections() {
    return connections.size();
  }

  /** How many connections were ever passed on. */
  public int accepted() {
    return accepted.get();
  }

  /** Resets all connections and, until {@link #resume()}, every new one at once. */
  public void cut() {
    synchronized (this) {
      cut = true;
    }
    reset();
  }

  /** Resets the connections there are; new ones pass. */
  public void reset() {
    connections.forEach(Connection::reset);
  }

  /** Keeps connections open, new ones too, and lets no byte through in either direction. */
  public void stall() {
    stall(Direction.TO_BROKER);
    stall(Direction.TO_CLIENT);
  }

  /**
   * Drops all bytes on present connections without telling either side, as a load balancer that has
   * forgotten them. New connections pass.
   */
  public void forget() {
    connections.forEach(connection -> connection.forgotten = true);
  }

  /** As {@link #stall()}, in one direction. Bytes are held back, none is dropped. */
  public synchronized void stall(Direction direction) {
    stalled.add(direction);
  }

  /** Ends {@link #cut()} and {@link #stall()}; held bytes pass. */
  public synchronized void resume() {
    cut = false;
    stalled.clear();
    notifyAll();
  }

  /** Resets all connections and gives the port back. */
  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close the proxy's port", e);
    } finally {
      cut();
      resume(); // lets stalled threads see that their connection is gone
    }
  }

  /** Blocks a connection's thread, which has read bytes, until they may pass. */
  private synchronized void awaitPassage(Direction direction) throws InterruptedException {
    while (stalled.contains(direction)) {
      wait();
    }
  }

  private void accept() {
    while (!server.isClosed()) {
      Socket client;
      try {
        client = server.accept();
      } catch (IOException e) {
        continue; // closed, or a client that left before it was taken
      }
      pass(client);
    }
  }

  private void pass(Socket client) {
    Socket broker = new Socket();
    Connection connection = new Connection(client, broker);
    synchronized (this) {
      if (!cut && connections.size() < MAX_CONNECTIONS) {
        connections.add(connection);
      }
    }
    try {
      if (!connections.contains(connection)) {
        connection.reset();
        return;
      }
      broker.connect(target, CONNECT_MILLIS);
      accepted.incrementAndGet();
      connection.start();
    } catch (IOException e) {
      connection.reset(); // as a broker that is down would
    }
  }

  private static void daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** One client's connection through a proxy: two threads, one per direction. */
  private final class Connection {

    private final Socket client;
    private final Socket broker;
    private volatile boolean forgotten;

    Connection(Socket client, Socket broker) {
      this.client = client;
      this.broker = broker;
    }

    void start() throws IOException {
      client.setTcpNoDelay(true);
      broker.setTcpNoDelay(true);
      daemon("proxy-to-broker", () -> copy(client, broker, Direction.TO_BROKER));
      daemon("proxy-to-client", () -> copy(broker, client, Direction.TO_CLIENT));
    }

    private void copy(Socket from, Socket to, Direction direction) {
      byte[] buffer = new byte[BUFFER_BYTES];
      try {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        int count = in.read(buffer);
        while (count >= 0) {
          awaitPassage(direction);
          if (!forgotten) {
            out.write(buffer, 0, count);
          }
          count = in.read(buffer);
        }
        awaitPassage(direction); // the end of the stream is held back as well
        to.shutdownOutput();
        if (from.isOutputShutdown() || to.isInputShutdown()) {
          close();
        }
      } catch (IOException e) {
        reset();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        reset();
      }
    }

    /** With linger 0 the peers see a reset, not an orderly end. */
    void reset() {
      for (Socket socket : new Socket[] {client, broker}) {
        try {
          socket.setSoLinger(true, 0);
        } catch (IOException e) {
          continue; // closed already
        }
      }
      close();
    }

    private void close() {
      connections.remove(this);
      for (Socket socket : new Socket[] {client, broker}) {
        try {
          socket.close();
        } catch (IOException e) {
          continue; // nothing of it is left to close
        }
      }
    }
  }
}
