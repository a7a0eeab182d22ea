// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * The common ground of nodes that can form a cluster: one Erlang cookie and one epmd of their own,
 * never those of the machine.
 *
 * @param folder holds everything, one folder per node in it
 * @param epmdPort loopback port of the epmd
 */
record NodeGround(Path folder, int epmdPort) {

  /** A variable of every process on this ground, by which a pid is recognized. */
  static final String MARKER = "POCKETWATCH_BROKER_GROUND";

  private static final int COOKIE_BYTES = 16;

  NodeGround {
    if (folder.toString().matches(".*\\s.*")) {
      throw new BrokerControlException(
          "RabbitMQ's scripts do not stand blanks in a folder's name: " + folder);
    }
  }

  /** The home directory of all processes here: Erlang looks for its cookie there. */
  Path home() {
    return folder.resolve("home");
  }

  NodeFolder node(String name) {
    return new NodeFolder(folder.resolve(name));
  }

  void prepare() throws IOException {
    Files.createDirectories(home());
    Path cookie = home().resolve(".erlang.cookie");
    byte[] secret = new byte[COOKIE_BYTES];
    new SecureRandom().nextBytes(secret);
    try {
      // Erlang refuses a cookie others can read, so it must never exist with wider permissions.
      Files.createFile(
          cookie,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(cookie, HexFormat.of().formatHex(secret));
    } catch (FileAlreadyExistsException e) {
      // Kept: nodes of an earlier process on this ground know it.
    }
  }
}
