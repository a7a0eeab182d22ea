// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import io.pocketwatch.localbroker.NetworkProxy.Direction;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/** One client's connection through a proxy: two threads, one per direction. */
final class ProxiedConnection {

  private static final int BUFFER_BYTES = 16 * 1024;

  private final NetworkProxy proxy;
  private final Socket client;
  private final Socket broker;

  ProxiedConnection(NetworkProxy proxy, Socket client, Socket broker) {
    this.proxy = proxy;
    this.client = client;
    this.broker = broker;
  }

  void start() throws IOException {
    client.setTcpNoDelay(true);
    broker.setTcpNoDelay(true);
    daemon("proxy-to-broker", () -> copy(client, broker, Direction.TO_BROKER));
    daemon("proxy-to-client", () -> copy(broker, client, Direction.TO_CLIENT));
  }

  static void daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void copy(Socket from, Socket to, Direction direction) {
    byte[] buffer = new byte[BUFFER_BYTES];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      int count = in.read(buffer);
      while (count >= 0) {
        proxy.awaitPassage(direction);
        out.write(buffer, 0, count);
        count = in.read(buffer);
      }
      proxy.awaitPassage(direction); // the end of the stream is held back as well
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
    proxy.ended(this);
    for (Socket socket : new Socket[] {client, broker}) {
      try {
        socket.close();
      } catch (IOException e) {
        continue; // nothing of it is left to close
      }
    }
  }
}
