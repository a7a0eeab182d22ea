// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

import java.net.URI;

/**
 * Where {@code serve} listens.
 *
 * @param address a host name or IP address of this machine
 * @param port 0 for any free one
 */
public record ServerSettings(String address, int port) {
  private static final int MOST_PORT = 65_535;

  /** Its health page, as seen from this machine. */
  public URI health() {
    boolean everywhere = address.equals("0.0.0.0") || address.equals("::");
    String host = everywhere ? "127.0.0.1" : address;
    return URI.create(
        "http://%s:%d/health".formatted(host.contains(":") ? "[" + host + "]" : host, port));
  }

  static ServerSettings read(ConfigurationSection section) {
    section.allow("address", "port");
    return new ServerSettings(
        section.text("address").orElse("127.0.0.1"), section.integer("port", 0, MOST_PORT, 8177));
  }
}
