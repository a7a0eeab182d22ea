// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.broker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/** Ports of this machine that nobody listens on. */
final class LoopbackPorts {
  private static final int FIRST = 23_100;
  private static final int COUNT = 400;
  private static final AtomicInteger NEXT = new AtomicInteger();
  private static final int PATIENCE_MILLIS = 500;

  private LoopbackPorts() {}

  /** A free one, another each time. */
  static int free() throws IOException {
    for (int tries = 0; tries < COUNT; tries++) {
      int port = FIRST + NEXT.getAndIncrement() % COUNT;
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException e) {
        continue; // taken
      }
    }
    throw new IOException("no free port from " + FIRST + " to " + (FIRST + COUNT - 1));
  }

  static boolean answers(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
