// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Picks free loopback ports, each once among the JVMs of a user. They lie below the range the
 * kernel hands out for outgoing connections. A node that restarts must find its port free. A client
 * that dials a closed port within that range can end up connected to itself.
 */
final class FreePorts {

  /** Where nodes listen, written out: a JVM that prefers IPv6 calls another address loopback. */
  static final String HOST = "127.0.0.1";

  private static final int FIRST = 20_000;
  private static final int LAST = 31_999;
  private static final int ATTEMPTS = 2_000;
  private static final Set<Integer> HANDED_OUT = new HashSet<>();

  private final int first;
  private final int last;

  private FreePorts(int first, int last) {
    this.first = first;
    this.last = last;
  }

  static FreePorts of(Environment environment) {
    return environment
        .get(Environment.PORTS)
        .map(FreePorts::parse)
        .orElseGet(() -> new FreePorts(FIRST, LAST));
  }

  private static FreePorts parse(String range) {
    if (!range.matches("\\d{1,5}-\\d{1,5}")) {
      throw new IllegalArgumentException(
          Environment.PORTS + "=" + range + " is not a range such as 21000-21999");
    }
    int dash = range.indexOf('-');
    int first = Integer.parseInt(range.substring(0, dash));
    int last = Integer.parseInt(range.substring(dash + 1));
    if (first < 1 || last > 65_535 || last < first) {
      throw new IllegalArgumentException(
          Environment.PORTS + "=" + range + " is not within 1-65535, lower bound first");
    }
    return new FreePorts(first, last);
  }

  /** The preferred port if it is free, else another one; 0 prefers none. */
  int next(int preferred) {
    synchronized (HANDED_OUT) {
      if (preferred > 0 && take(preferred)) {
        return preferred;
      }
      for (int i = 0; i < ATTEMPTS; i++) {
        int port = ThreadLocalRandom.current().nextInt(first, last + 1);
        if (take(port)) {
          return port;
        }
      }
    }
    throw new BrokerControlException(
        "no free port between "
            + first
            + " and "
            + last
            + "; "
            + Environment.PORTS
            + " names the range");
  }

  static void giveBack(int port) {
    synchronized (HANDED_OUT) {
      if (HANDED_OUT.remove(port)) {
        PortLocks.giveBack(port);
      }
    }
  }

  private static boolean take(int port) {
    if (HANDED_OUT.contains(port) || !PortLocks.take(port)) {
      return false;
    }
    if (!free(port)) {
      PortLocks.giveBack(port);
      return false;
    }
    return HANDED_OUT.add(port);
  }

  /**
   * Judged as a node would find it: only a listener that includes {@link #HOST} is in its way. It
   * is bound and never listened on, or a client that dials it just now would be let in and thrown
   * out.
   */
  static boolean free(int port) {
    try (Socket socket = new Socket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(HOST, port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
