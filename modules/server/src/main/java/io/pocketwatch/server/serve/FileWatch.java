// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Notices that a file has another content than before. It looks at the content itself. That also
 * works for files on a network, and for a link that is turned to another file, as Kubernetes does.
 * It is for one thread.
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
   * Whether there is a new content, and it is the same as at the last call: somebody may be writing
   * just now. A file that is gone has not changed.
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
