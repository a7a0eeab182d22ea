// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import io.pocketwatch.server.background.Background;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.eclipse.jetty.io.Connection;

/**
 * Closes connections that are too slow, or too many for their address or in all. Jetty's {@code
 * MinimumDataRateHandler} sees neither a slow request head nor a client that reads an answer
 * slowly: an idle timeout begins anew with each byte. Its {@code NetworkConnectionLimit} does not
 * tell addresses apart, and so one of them could keep all others out.
 */
public final class ConnectionLimit implements Connection.Listener, AutoCloseable {
  private static final int MOST_OF_ADDRESS = 256;
  private static final int MOST = 1_024;

  /** Connections that an address may have beyond the limit for all, to ask for the health. */
  private static final int ALWAYS_OF_ADDRESS = 8;

  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final long PATIENCE_NANOS = Duration.ofSeconds(10).toNanos();

  /** Bytes a second that suffice beyond the patience. */
  private static final long LEAST_RATE = 16_384;

  private final Map<Connection, Client> clients = new ConcurrentHashMap<>();
  private final Background background = new Background("pocketwatch-http-connections", 1);

  /** Begins to check connections. */
  public ConnectionLimit() {
    background.every(LOOK, () -> clients.values().forEach(Client::cutOffIfSlow));
  }

  @Override
  public void onOpened(Connection connection) {
    Client client = new Client(connection);
    clients.put(connection, client);
    long ofAddress =
        clients.values().stream().filter(each -> each.address.equals(client.address)).count();
    if (ofAddress > MOST_OF_ADDRESS || clients.size() > MOST && ofAddress > ALWAYS_OF_ADDRESS) {
      connection.getEndPoint().close();
    }
  }

  @Override
  public void onClosed(Connection connection) {
    clients.remove(connection);
  }

  /** The client of a connection, even if that was just closed. */
  Client of(Connection connection) {
    Client client = clients.get(connection);
    return client == null ? new Client(connection) : client;
  }

  @Override
  public void close() {
    background.close();
  }

  /** One client, and the bytes that it has to move now. */
  static final class Client {
    private final Connection connection;
    private final String address;
    private LongSupplier bytes;
    private long before;
    private long since = System.nanoTime();

    private Client(Connection connection) {
      SocketAddress remote = connection.getEndPoint().getRemoteSocketAddress();
      this.connection = connection;
      this.address =
          remote instanceof InetSocketAddress internet
              ? internet.getAddress().getHostAddress()
              : String.valueOf(remote);
      this.bytes = connection::getBytesIn;
    }

    /** The client sends a head or a body from now on. */
    void sends() {
      moves(connection::getBytesIn);
    }

    /** The client receives an answer, as soon as there is one. */
    void receives() {
      moves(connection::getBytesOut);
    }

    /** The client may be as slow as it likes. */
    void isLeftAlone() {
      moves(() -> 0);
    }

    private synchronized void moves(LongSupplier now) {
      bytes = now;
      before = now.getAsLong();
      since = System.nanoTime();
    }

    private synchronized void cutOffIfSlow() {
      long moved = bytes.getAsLong() - before;
      long nanos = System.nanoTime() - since;
      if (moved == 0) {
        since += nanos; // nothing has begun: the idle timeout is for that
      } else if (nanos > PATIENCE_NANOS + moved * 1_000_000_000L / LEAST_RATE) {
        connection.getEndPoint().close();
      }
    }
  }
}
