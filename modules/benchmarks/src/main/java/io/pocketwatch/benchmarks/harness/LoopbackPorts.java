// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Ports of this machine, from the range that brokers started here keep to as well. */
public final class LoopbackPorts {
  private static final String RANGE = "POCKETWATCH_BROKER_PORTS";
  private static final int FIRST;
  private static final int COUNT;
  private static final AtomicInteger NEXT;
  private static final int PATIENCE_MILLIS = 500;

  static {
    String[] range = Optional.ofNullable(System.getenv(RANGE)).orElse("20000-31999").split("-", 2);
    FIRST = Integer.parseInt(range[0]);
    COUNT = Integer.parseInt(range[1]) - FIRST + 1;
    NEXT = new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));
  }

  private LoopbackPorts() {}

  /** One that nobody listens on; the next higher each time, as far as those are free. */
  public static int free() throws IOException {
    for (int tries = 0; tries < COUNT; tries++) {
      int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException e) {
        continue; // taken
      }
    }
    throw new IOException("no free port from " + FIRST + " to " + (FIRST + COUNT - 1));
  }

  /** Whether somebody listens there. */
  public static boolean answers(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
