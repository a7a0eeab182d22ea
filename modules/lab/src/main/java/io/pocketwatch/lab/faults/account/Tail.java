// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.account;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads a growing file of lines, each line once. For one thread. */
public final class Tail {
  private final Path file;
  private long read;

  public Tail(Path file) {
    this.file = file;
  }

  /** The whole lines that have come since the last call. */
  public List<String> more() throws IOException {
    if (!Files.exists(file)) {
      return List.of();
    }
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
      byte[] bytes = new byte[Math.toIntExact(open.length() - read)];
      open.seek(read);
      open.readFully(bytes);
      String text = new String(bytes, StandardCharsets.UTF_8);
      String whole = text.substring(0, text.lastIndexOf('\n') + 1);
      read += whole.getBytes(StandardCharsets.UTF_8).length;
      return whole.lines().toList();
    }
  }
}
