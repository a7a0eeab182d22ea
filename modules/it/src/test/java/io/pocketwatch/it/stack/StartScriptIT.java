// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.stack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code docker/rabbitmq/start.sh}, on folders like a broker's and with an entry point of ours. */
class StartScriptIT {
  private static final String MEMBER = "rabbit@rabbitmq/quorum/rabbit@rabbitmq/2F A1/";
  private static final Path SCRIPT = ComposeFile.FOLDER.resolve("rabbitmq/start.sh");

  @TempDir private Path folder;
  private Path data;
  private int exitCode;

  @BeforeEach
  void makeEntryPoint() throws IOException {
    data = folder.resolve("mnesia");
    Path entryPoint = folder.resolve("docker-entrypoint.sh");
    Files.writeString(entryPoint, "#!/bin/sh\necho \"starts $*\"\n");
    Files.setPosixFilePermissions(entryPoint, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void every_broker_of_the_stacks_starts_with_it() throws IOException {
    for (String name : List.of("compose.yml", "compose.cluster.yml")) {
      assertThat(ComposeFile.of(name).services().values())
          .filteredOn(service -> service.containsKey("hostname"))
          .isNotEmpty()
          .allSatisfy(
              service -> {
                assertThat(service.get("image")).isEqualTo("rabbitmq:4.3-management");
                assertThat(service.get("entrypoint"))
                    .isEqualTo(
                        List.of(
                            "sh", "/etc/pocketwatch/published.sh", "sh", "/etc/rabbitmq/start.sh"));
                assertThat(service.get("command")).isEqualTo(List.of("rabbitmq-server"));
                assertThat(ComposeFile.list(service, "volumes"))
                    .contains("./rabbitmq/start.sh:/etc/rabbitmq/start.sh:ro");
              });
    }
  }

  @Test
  void a_first_start_is_the_images_own() throws Exception {
    assertThat(start()).containsExactly("starts rabbitmq-server");
    assertThat(exitCode).isZero();
  }

  @Test
  void a_missing_list_becomes_an_empty_one_of_the_same_owner() throws Exception {
    Path snapshot = write(MEMBER + "snapshots/1_2/snapshot.dat");
    Files.setPosixFilePermissions(snapshot, PosixFilePermissions.fromString("rw-------"));

    assertThat(start()).hasSize(2).last().isEqualTo("starts rabbitmq-server");

    Path list = snapshot.resolveSibling("indexes");
    assertThat(list).isEmptyFile();
    assertThat(Files.getOwner(list)).isEqualTo(Files.getOwner(snapshot));
    assertThat(Files.getPosixFilePermissions(list))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(files()).hasSize(2);
    assertThat(start()).as("the second time").containsExactly("starts rabbitmq-server");
  }

  @Test
  void everything_else_stays_as_it_is() throws Exception {
    write(MEMBER + "config");
    write(MEMBER + "snapshots/1_1/snapshot.dat");
    write(MEMBER + "snapshots/1_1/indexes");
    Files.createDirectories(data.resolve(MEMBER + "snapshots/1_2"));
    write(MEMBER + "checkpoints/1_3/snapshot.dat");
    write("rabbit@rabbitmq/coordination/rabbit@rabbitmq/META/snapshots/1_1/snapshot.dat");
    Map<String, String> before = files();

    assertThat(start()).containsExactly("starts rabbitmq-server");

    assertThat(files()).isEqualTo(before);
  }

  /** A start would lose messages for good. */
  @Test
  void what_cannot_be_completed_is_not_started() throws Exception {
    Path snapshot = write(MEMBER + "snapshots/1_2/snapshot.dat");
    Files.createDirectories(snapshot.resolveSibling("indexes.new/in the way"));

    assertThat(start()).last().asString().contains("RabbitMQ is not started");
    assertThat(exitCode).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, '', 0",
    "localhost, '', 0",
    "0.0.0.0, '', 1",
    "0.0.0.0, ' API_PASSWORD', 1",
    "192.168.0.1, 'DB_PASSWORD ', 1",
    "0.0.0.0, 'DB_PASSWORD API_PASSWORD', 0",
  })
  void what_others_can_reach_has_passwords_of_its_own(String address, String set, int code)
      throws Exception {
    List<String> lines =
        run(
            Map.of("BIND_ADDRESS", address, "SET", set, "NEEDED", "DB_PASSWORD API_PASSWORD"),
            ComposeFile.FOLDER.resolve("published.sh").toString(),
            "docker-entrypoint.sh",
            "postgres");
    assertThat(exitCode).isEqualTo(code);
    assertThat(lines).singleElement().asString().contains(code == 0 ? "starts postgres" : "Set it");
  }

  private List<String> start() throws Exception {
    return run(
        Map.of("RABBITMQ_MNESIA_BASE", data.toString()), SCRIPT.toString(), "rabbitmq-server");
  }

  private List<String> run(Map<String, String> environment, String... script) throws Exception {
    Path output = folder.resolve("output");
    List<String> line = new ArrayList<>(List.of("sh"));
    line.addAll(List.of(script));
    ProcessBuilder builder =
        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    builder.environment().merge("PATH", folder.toString(), (path, ours) -> ours + ":" + path);
    Process process = builder.start();
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    exitCode = process.exitValue();
    return Files.readAllLines(output);
  }

  private Path write(String file) throws IOException {
    Path path = data.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, file);
    Files.setLastModifiedTime(path, FileTime.from(Instant.EPOCH));
    return path;
  }

  /** What is in each, and when it was written. */
  private Map<String, String> files() throws IOException {
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> all = Files.walk(data)) {
      for (Path path : all.filter(Files::isRegularFile).toList()) {
        found.put(path.toString(), Files.readString(path) + path.toFile().lastModified());
      }
    }
    return found;
  }
}
