// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.config;

/**
 * Where {@code serve} listens.
 *
 * @param address a host name or IP address of this machine
 * @param port 0 for any free one
 */
public record ServerSettings(String address, int port) {
  private static final int MOST_PORT = 65_535;

  static ServerSettings read(ConfigurationSection section) {
    section.allow("address", "port");
    return new ServerSettings(
        section.text("address").orElse("127.0.0.1"), section.integer("port", 0, MOST_PORT, 8177));
  }
}
