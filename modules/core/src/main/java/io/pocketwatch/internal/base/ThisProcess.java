// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.base;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The host and process that this program runs on, for people who look for it. */
public final class ThisProcess {
  private static final int LONGEST_HOST = 100;

  private ThisProcess() {}

  /** Host and process id, as {@code host-4711}. In containers the host tells processes apart. */
  public static String name() {
    return host() + "-" + ProcessHandle.current().pid();
  }

  private static String host() {
    String host = System.getenv("HOSTNAME");
    if (host == null || host.isBlank()) {
      try {
        host = InetAddress.getLocalHost().getHostName();
      } catch (UnknownHostException e) {
        host = "unknown";
      }
    }
    return host.substring(0, Math.min(host.length(), LONGEST_HOST));
  }
}
