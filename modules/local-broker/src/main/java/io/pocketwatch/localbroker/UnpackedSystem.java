// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.localbroker;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Programs unpacked from another Debian release, made to run here. They need a newer C library than
 * the machine's. So each Erlang program becomes a script that starts it through the unpacked
 * dynamic loader, with the unpacked libraries. That needs no root, chroot, namespace or container.
 */
final class UnpackedSystem {

  private static final byte[] ELF = {0x7f, 'E', 'L', 'F'};

  private final Path root;
  private final Path erlang;

  UnpackedSystem(Path root) {
    this.root = root;
    this.erlang = root.resolve("usr/lib/erlang");
  }

  RabbitHome home() throws IOException {
    Path parent = root.resolve("usr/lib/rabbitmq/lib");
    return RabbitHome.names(parent).stream()
        .flatMap(
            name -> RabbitHome.in(parent.resolve(name), List.of(erlang.resolve("bin"))).stream())
        .findFirst()
        .orElseThrow(() -> new IOException("no RabbitMQ among the packages unpacked in " + root));
  }

  void makeRunnable() throws IOException {
    Path loader = loader();
    Path runtime = runtime();
    for (Path program : programs(runtime)) {
      Path real = program.resolveSibling(program.getFileName() + ".elf");
      Files.move(program, real);
      script(
          program,
          "exec '%s' --argv0 \"$0\" --library-path '%s' '%s' \"$@\""
              .formatted(loader, loader.getParent(), real));
    }
    erl(erlang.resolve("bin/erl"), runtime.resolve("bin"));
  }

  /** Makes the script that starts Erlang with the programs of that folder. */
  void erl(Path file, Path programs) throws IOException {
    script(
        file,
        "export ROOTDIR='%s' BINDIR='%s' EMU=beam PROGNAME=erl\nexec \"$BINDIR/erlexec\" \"$@\""
            .formatted(erlang, programs));
  }

  Path loader() throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(file -> file.getFileName().toString().matches("ld-linux.*\\.so\\.\\d+"))
          .filter(file -> !Files.isSymbolicLink(file))
          .findFirst()
          .orElseThrow(() -> new IOException("no dynamic loader in " + root));
    }
  }

  Path runtime() throws IOException {
    return RabbitHome.names(erlang).stream()
        .filter(name -> name.startsWith("erts-"))
        .map(erlang::resolve)
        .findFirst()
        .orElseThrow(() -> new IOException("no Erlang runtime in " + root));
  }

  private List<Path> programs(Path runtime) throws IOException {
    try (Stream<Path> files = Files.walk(erlang)) {
      return files
          .filter(file -> holdsPrograms(file.resolveSibling("."), runtime))
          .filter(file -> Files.isRegularFile(file) && !Files.isSymbolicLink(file) && isElf(file))
          .toList();
    }
  }

  private boolean holdsPrograms(Path sibling, Path runtime) {
    Path folder = sibling.normalize();
    return folder.equals(erlang.resolve("bin"))
        || folder.equals(runtime.resolve("bin"))
        || (folder.startsWith(erlang.resolve("lib")) && folder.endsWith("priv/bin"));
  }

  private static boolean isElf(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return Arrays.equals(in.readNBytes(ELF.length), ELF);
    } catch (IOException e) {
      return false;
    }
  }

  static void script(Path file, String body) throws IOException {
    Files.deleteIfExists(file); // may be a link into the machine's own Erlang
    Files.writeString(file, "#!/bin/sh\n" + body + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
