// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.http;

import io.pocketwatch.server.background.Background;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.io.Connection;

/**
 * The open connections. Those that send or take too slowly are cut off, and those beyond what one
 * address or all may have. An idle timeout does neither, as each byte begins it anew.
 */
public final class Connections implements Connection.Listener, AutoCloseable {
  private static final int MOST_OF_ADDRESS = 256;
  private static final int MOST = 1_024;

  /** Beyond all that are allowed an address still has so many: somebody may ask for the health. */
  private static final int ALWAYS_OF_ADDRESS = 8;

  private static final Duration LOOK = Duration.ofSeconds(1);

  private final Map<Connection, Client> clients = new ConcurrentHashMap<>();
  private final Map<String, Integer> addresses = new ConcurrentHashMap<>();
  private final Background background = new Background("pocketwatch-http-connections", 1);

  /** Begins to look at them. */
  public Connections() {
    background.every(LOOK, () -> clients.values().forEach(Client::cutOffIfSlow));
  }

  @Override
  public void onOpened(Connection connection) {
    Client client = new Client(connection);
    clients.put(connection, client);
    int ofAddress = addresses.merge(client.address, 1, Integer::sum);
    if (ofAddress > MOST_OF_ADDRESS || clients.size() > MOST && ofAddress > ALWAYS_OF_ADDRESS) {
      connection.getEndPoint().close();
    }
  }

  @Override
  public void onClosed(Connection connection) {
    Client client = clients.remove(connection);
    if (client != null) {
      addresses.computeIfPresent(client.address, (address, count) -> count == 1 ? null : count - 1);
    }
  }

  private static String address(Connection connection) {
    SocketAddress remote = connection.getEndPoint().getRemoteSocketAddress();
    return remote instanceof InetSocketAddress internet
        ? internet.getAddress().getHostAddress()
        : String.valueOf(remote);
  }

  /** Also of one that has just been closed. */
  Client of(Connection connection) {
    Client client = clients.get(connection);
    return client == null ? new Client(connection) : client;
  }

  @Override
  public void close() {
    background.close();
  }

  /** What one client is doing, and since when. */
  static final class Client {
    private enum Doing {
      SENDING_HEAD,
      SENDING_BODY,
      WAITING,
      TAKING_ANSWER,
      FOLLOWING
    }

    private static final long PATIENCE_NANOS = Duration.ofSeconds(10).toNanos();

    /** Bytes a second that suffice beyond the patience. */
    private static final long LEAST_RATE = 16_384;

    private final Connection connection;

    /** A connection that is closed does not know it any more. */
    private final String address;

    private Doing doing = Doing.SENDING_HEAD;
    private long since = System.nanoTime();
    private long bytesBefore;

    private Client(Connection connection) {
      this.connection = connection;
      this.address = address(connection);
    }

    /** Whatever comes now belongs to the next request. */
    void sendsHead() {
      becomes(Doing.SENDING_HEAD, connection.getBytesIn());
    }

    void sendsBody() {
      becomes(Doing.SENDING_BODY, connection.getBytesIn());
    }

    /** For us, so it cannot be slow. */
    void waits() {
      becomes(Doing.WAITING, 0);
    }

    void takesAnswer() {
      becomes(Doing.TAKING_ANSWER, connection.getBytesOut());
    }

    /** As long as it likes. */
    void follows() {
      becomes(Doing.FOLLOWING, 0);
    }

    private synchronized void becomes(Doing next, long bytes) {
      doing = next;
      since = System.nanoTime();
      bytesBefore = bytes;
    }

    private synchronized void cutOffIfSlow() {
      long bytes =
          switch (doing) {
            case SENDING_HEAD, SENDING_BODY -> connection.getBytesIn() - bytesBefore;
            case TAKING_ANSWER -> connection.getBytesOut() - bytesBefore;
            case WAITING, FOLLOWING -> 0;
          };
      if (bytes == 0 && doing != Doing.SENDING_BODY) {
        since = System.nanoTime(); // nothing has begun; the idle timeout is for that
        return;
      }
      // A head is small: its bytes earn it no time.
      long earned = doing == Doing.SENDING_HEAD ? 0 : bytes * 1_000_000_000L / LEAST_RATE;
      if (System.nanoTime() - since > PATIENCE_NANOS + earned) {
        connection.getEndPoint().close();
      }
    }
  }
}
