// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TornSnapshotsIT {
  private static final String MEMBER = "data/a@localhost/quorum/a@localhost/2F_A1/";

  @TempDir private Path folder;
  private Path data;

  @BeforeEach
  void makeData() throws IOException {
    data = Files.createDirectory(folder.resolve("data"));
  }

  @Test
  void a_missing_list_becomes_an_empty_one() throws IOException {
    write(MEMBER + "snapshots/1_2/snapshot.dat");

    TornSnapshots.complete(data);

    assertThat(folder.resolve(MEMBER + "snapshots/1_2/indexes")).isEmptyFile();
  }

  @Test
  void everything_else_stays_as_it_is() throws IOException {
    write(MEMBER + "config");
    write(MEMBER + "snapshots/1_1/snapshot.dat");
    write(MEMBER + "snapshots/1_1/indexes");
    Files.createDirectories(folder.resolve(MEMBER + "snapshots/1_2"));
    write(MEMBER + "checkpoints/1_3/snapshot.dat");
    write("data/a@localhost/coordination/a@localhost/META/snapshots/1_1/snapshot.dat");
    List<String> before = files();

    TornSnapshots.complete(data);

    assertThat(files()).isEqualTo(before);
  }

  @Test
  void a_node_that_never_ran_has_nothing_to_complete() throws IOException {
    TornSnapshots.complete(data);

    assertThat(files()).hasSize(1);
  }

  private void write(String file) throws IOException {
    Path path = folder.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, file);
    Files.setLastModifiedTime(path, FileTime.from(Instant.EPOCH));
  }

  private List<String> files() throws IOException {
    try (Stream<Path> all = Files.walk(data)) {
      return all.sorted()
          .map(path -> path + " " + (Files.isDirectory(path) ? "" : path.toFile().lastModified()))
          .toList();
    }
  }
}
