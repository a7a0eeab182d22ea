// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Starts long-lived processes: in a session of their own, their pid on file, output in a log. */
final class NodeLauncher {

  /** The process writes its own pid before it becomes the program: no moment without a file. */
  private static final String WRITE_PID_AND_EXEC = "echo $$ >\"$0\" && exec \"$@\"";

  private NodeLauncher() {}

  static void launch(
      Environment base,
      Path pidFile,
      Path output,
      Map<String, String> environment,
      List<String> program)
      throws IOException {
    Files.deleteIfExists(pidFile); // a former life's pid would look like an early death
    List<String> line = new ArrayList<>();
    // Ctrl-C in a terminal goes to all of its session; whoever started a node ends it, in order.
    base.program("setsid").ifPresent(setsid -> line.add(setsid.toString()));
    line.addAll(List.of("sh", "-c", WRITE_PID_AND_EXEC, pidFile.toString()));
    line.addAll(program);
    new Command(line, environment, pidFile.getParent())
        .builder()
        .redirectErrorStream(true)
        .redirectOutput(Redirect.to(output.toFile()))
        .start();
  }
}
