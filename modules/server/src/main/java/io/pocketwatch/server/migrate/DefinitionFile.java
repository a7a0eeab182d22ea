// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.migrate;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * The file that keeps the bindings while the exchange is deleted.
 *
 * @param path where it is, or will be
 */
record DefinitionFile(Path path) {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final ObjectWriter WRITER = MAPPER.writerWithDefaultPrettyPrinter();

  /** The file of an exchange, in the working folder. */
  static DefinitionFile of(String virtualHost, String exchange) {
    String name = "pocketwatch-migrate-" + plain(virtualHost) + "-" + plain(exchange) + ".json";
    return new DefinitionFile(Path.of(name));
  }

  /** Encodes a name, such that two names never share a file. */
  private static String plain(String name) {
    String plain = name.replaceAll("[^A-Za-z0-9.]", "_");
    return plain.equals(name) ? name : plain + "~" + Integer.toHexString(name.hashCode());
  }

  Optional<ExchangeDefinition> read() {
    if (!Files.exists(path)) {
      return Optional.empty();
    }
    try {
      return Optional.of(MAPPER.readValue(path.toFile(), ExchangeDefinition.class));
    } catch (IOException e) {
      throw new CommandFailedException(
          ExitCodes.FAILED,
          "--file %s is not a definition that this command has written: move it away"
              .formatted(path),
          e);
    }
  }

  /** Writes the whole file to the disk, or nothing. */
  void write(ExchangeDefinition definition) {
    Path part = path.resolveSibling(path.getFileName() + ".part");
    try {
      Files.write(part, WRITER.writeValueAsBytes(definition));
      try (FileChannel written = FileChannel.open(part, StandardOpenOption.WRITE)) {
        written.force(true);
      }
      Files.move(part, path, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new CommandFailedException(
          ExitCodes.FAILED,
          "--file %s cannot be written (%s); nothing was changed on the broker".formatted(path, e),
          e);
    }
  }

  /** Renames the file, so that no later run takes it for unfinished work. */
  Path finish() {
    Path done = path.resolveSibling(path.getFileName() + ".done");
    try {
      return Files.move(path, done, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new CommandFailedException(
          ExitCodes.FAILED,
          "all is done, but --file %s cannot be renamed (%s): delete it".formatted(path, e),
          e);
    }
  }
}
