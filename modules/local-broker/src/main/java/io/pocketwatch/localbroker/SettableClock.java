// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Erlang with a clock that can be set, by Debian's libfaketime. Only the emulator has the library:
 * the shells around it are the machine's own, with an older C library than the one it needs.
 */
record SettableClock(Path folder) {

  static final Pattern PACKAGE = Pattern.compile("libfaketime");

  private static final String LIBRARY = "libfaketimeMT.so.1";
  private static final String EMULATOR = "beam.smp";
  private static final String OFFSET = "FAKETIME";
  private static final Pattern SECONDS = Pattern.compile("\\+\\d{1,18}");

  /** Links the programs of that system, and puts a script in the place of the emulator. */
  void link(UnpackedSystem system) throws IOException {
    Path programs = Files.createDirectories(programs());
    Path originals = system.runtime().resolve("bin");
    for (String name : RabbitHome.names(originals)) {
      Files.createSymbolicLink(programs.resolve(name), originals.resolve(name));
    }
    Path loader = system.loader();
    UnpackedSystem.script(
        programs.resolve(EMULATOR),
        "exec '%s' --argv0 \"$0\" --preload '%s' --library-path '%s' '%s' \"$@\""
            .formatted(
                loader, library(), loader.getParent(), originals.resolve(EMULATOR + ".elf")));
    system.erl(programs.resolve("erl"), programs);
  }

  private Path library() throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve("usr"))) {
      return files
          .filter(file -> file.endsWith(LIBRARY))
          .findFirst()
          .orElseThrow(() -> new IOException("no " + LIBRARY + " in " + folder));
    }
  }

  private Path programs() {
    return folder.resolve("bin");
  }

  /** The same RabbitMQ, on that Erlang. */
  RabbitHome home(RabbitHome plain) {
    List<Path> programs = Stream.concat(Stream.of(programs()), plain.programs().stream()).toList();
    return new RabbitHome(plain.folder(), plain.version(), programs);
  }

  /** Changes the environment of a node's processes to what they need. */
  static void environment(Map<String, String> variables, NodeFolder node) {
    // The offset of this process is in the file, and would be added twice.
    if (variables.remove(OFFSET) != null) {
      variables.remove("LD_PRELOAD");
    }
    variables.put("FAKETIME_TIMESTAMP_FILE", file(node).toString());
    variables.put("FAKETIME_NO_CACHE", "1"); // so that a new time is there at once
    variables.put("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    variables.put("FAKETIME_DISABLE_SHM", "1"); // what it keeps there would outlive a kill
  }

  /**
   * A running node has the new time at once.
   *
   * @param ahead of this process, whose own clock may be ahead of the machine's (.ci/any-day)
   */
  static void set(NodeFolder node, Environment base, Duration ahead) throws IOException {
    Duration own =
        base.get(OFFSET)
            .filter(offset -> SECONDS.matcher(offset).matches())
            .map(offset -> Duration.ofSeconds(Long.parseLong(offset)))
            .orElse(Duration.ZERO);
    long millis = own.plus(ahead).toMillis();
    String text = (millis < 0 ? "" : "+") + BigDecimal.valueOf(millis, 3).toPlainString();
    Path next = Files.writeString(node.path().resolve("clock.next"), text + "\n");
    Files.move(next, file(node), StandardCopyOption.ATOMIC_MOVE); // never seen half written
  }

  private static Path file(NodeFolder node) {
    return node.path().resolve("clock");
  }
}
