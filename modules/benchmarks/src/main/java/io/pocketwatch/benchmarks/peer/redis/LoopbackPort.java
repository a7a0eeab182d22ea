// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** A free port, from the range that brokers started here keep to as well. */
final class LoopbackPort {
  private static final String RANGE = "POCKETWATCH_BROKER_PORTS";
  private static final int ATTEMPTS = 100;

  private LoopbackPort() {}

  static int free() throws IOException {
    String[] range = Optional.ofNullable(System.getenv(RANGE)).orElse("20000-31999").split("-", 2);
    int first = Integer.parseInt(range[0]);
    int last = Integer.parseInt(range[1]);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(first, last + 1);
      if (free(port)) {
        return port;
      }
    }
    throw new IOException("no free port between " + first + " and " + last);
  }

  private static boolean free(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
