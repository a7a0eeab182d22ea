// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeProcessIT {
  /** As a starting node does: shell, erl, erlexec. It looked dead at the wrong moment. */
  @Test
  void a_process_that_becomes_another_program_all_the_time_is_seen_all_the_time(
      @TempDir Path folder) throws Exception {
    Path again = folder.resolve("again");
    Files.writeString(again, "#!/bin/sh\necho $$ >" + folder.resolve("pid") + "\nexec \"$0\"\n");
    Files.setPosixFilePermissions(again, PosixFilePermissions.fromString("rwx------"));
    ProcessBuilder builder = new ProcessBuilder(again.toString());
    builder.environment().put(NodeGround.MARKER, folder.toString());
    Process process = builder.start();
    try {
      Path pid = Files.writeString(folder.resolve("pid-of-it"), Long.toString(process.pid()));
      assertThat(
              Polling.until(Duration.ofSeconds(10), () -> folder.resolve("pid").toFile().exists()))
          .isTrue();
      NodeGround ground = new NodeGround(folder, 0);
      int seen = 0;
      for (int i = 0; i < 300; i++) {
        seen += NodeProcess.find(pid, ground).isPresent() ? 1 : 0;
      }
      assertThat(seen).isEqualTo(300);
    } finally {
      process.destroyForcibly().waitFor();
    }
    assertThat(NodeProcess.find(folder.resolve("pid-of-it"), new NodeGround(folder, 0))).isEmpty();
  }
}
