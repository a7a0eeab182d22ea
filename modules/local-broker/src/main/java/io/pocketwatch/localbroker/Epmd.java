// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The name server of the Erlang nodes on one ground. */
final class Epmd {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  private Epmd() {}

  /** The program, in the home's own folders, on the path, or beside the real erl. */
  static Optional<Path> program(Environment base, RabbitHome home) {
    Optional<Path> own =
        home.programs().stream()
            .map(folder -> folder.resolve("epmd"))
            .filter(Files::isExecutable)
            .findFirst();
    return own.or(() -> base.program("epmd"))
        .or(
            () ->
                base.program("erl")
                    .flatMap(Environment::real)
                    .map(erl -> erl.resolveSibling("epmd"))
                    .filter(Files::isExecutable));
  }

  /**
   * Starts it unless it answers already. The nodes of a cluster start at the same moment. Of two
   * that find none, the second would fail and leave its pid on file, so that nobody ends the first.
   */
  static synchronized void ensure(Environment base, RabbitHome home, NodeGround ground)
      throws IOException {
    if (answers(ground)) {
      return;
    }
    Path program =
        program(base, home)
            .orElseThrow(() -> new BrokerControlException("Erlang's epmd is not on the path"));
    Path folder = ground.folder().resolve("epmd");
    Files.createDirectories(folder);
    NodeProcess.launch(
        base,
        folder.resolve("pid"),
        folder.resolve("console"),
        NodeEnvironment.erlang(base, home, ground),
        List.of(program.toString()));
    Polling.until(LIMIT, () -> answers(ground));
    if (!answers(ground)) {
      throw new BrokerControlException("epmd does not answer on port " + ground.epmdPort());
    }
  }

  /** Ends it; nodes that still run on this ground stay reachable for their clients only. */
  static void end(NodeGround ground) {
    NodeProcess.find(ground.folder().resolve("epmd").resolve("pid"), ground)
        .ifPresent(process -> process.kill(LIMIT));
  }

  private static boolean answers(NodeGround ground) {
    return Polling.accepts(ground.epmdPort());
  }
}
