// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.stream.Stream;

/**
 * Completes, before a node starts, what a kill tore between the two files of a quorum queue's
 * snapshot. {@code snapshot.dat} is written first, then {@code indexes}, the list of the messages
 * that are still held. Without the second file RabbitMQ 4.3.0 to 4.3.6 take the list for empty and
 * forget the messages. An empty file is a corrupt list, which they write anew from the first.
 *
 * <p>It does no harm by the source of ra 3.1.6 to 3.1.10, which these use ({@code
 * ra_snapshot:find_snapshots/1}). A list that is there stays as it is. A snapshot that holds
 * nothing has no list either; read anew it is the empty one. A {@code snapshot.dat} that does not
 * pass its checksum is deleted with its folder, and the snapshot before it counts. Brokers before
 * 4.3 (ra 2) never look at such a file. The one version that fails on a corrupt list, ra 3.0.0, is
 * in no release of RabbitMQ.
 */
final class TornSnapshots {
  private static final int DEPTH = 8;
  private static final PathMatcher SNAPSHOT =
      FileSystems.getDefault().getPathMatcher("glob:**/quorum/**/snapshots/*/snapshot.dat");

  private TornSnapshots() {}

  /** To be called while no node runs on that folder. */
  static void complete(Path data) throws IOException {
    for (Path snapshot : snapshots(data)) {
      try {
        Files.createFile(snapshot.resolveSibling("indexes"));
      } catch (FileAlreadyExistsException e) {
        // complete
      }
    }
  }

  private static List<Path> snapshots(Path data) throws IOException {
    try (Stream<Path> files = Files.find(data, DEPTH, (path, what) -> SNAPSHOT.matches(path))) {
      return files.toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
