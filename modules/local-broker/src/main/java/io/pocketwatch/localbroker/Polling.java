// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for another process by asking again and again, where nothing tells when it is ready. */
final class Polling {

  private static final int CONNECT_MILLIS = 1_000;
  private static final long STEP_MILLIS = 50;

  private Polling() {}

  /** Whether something listens on that loopback port. */
  static boolean accepts(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(FreePorts.HOST, port), CONNECT_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Asks until the answer is yes or the time is up; returns the last answer. */
  static boolean until(Duration limit, BooleanSupplier condition) {
    long end = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end >= 0) {
        return false;
      }
      try {
        Thread.sleep(STEP_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new BrokerControlException("interrupted while waiting for a node", e);
      }
    }
    return true;
  }
}
