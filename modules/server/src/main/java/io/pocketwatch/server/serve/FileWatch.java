// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Notices that the content of a file has changed. It compares the content itself, which also works
 * for files on a network, and for a link that Kubernetes turns to another file. Not thread-safe.
 */
public final class FileWatch {
  private final Path file;
  private byte[] known;
  private byte[] seen;

  public FileWatch(Path file) {
    this.file = file;
    this.known = read(new byte[0]);
    this.seen = known;
  }

  /**
   * Whether the content is new, and was the same at the last call: until then the file may still be
   * written. A missing file has not changed.
   */
  boolean changed() {
    byte[] content = read(known);
    boolean still = Arrays.equals(content, seen);
    seen = content;
    if (!still || Arrays.equals(content, known)) {
      return false;
    }
    known = content;
    return true;
  }

  private byte[] read(byte[] otherwise) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      return otherwise;
    }
  }
}
