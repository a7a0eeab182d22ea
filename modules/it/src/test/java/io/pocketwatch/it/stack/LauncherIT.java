// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher, on a small tree, with a Maven of ours that writes into the jar that is there. */
class LauncherIT {
  private static final String SCRIPT = "pocketwatch";

  /** Runs from the jar. Loads a class only when told to, as a server does long after its start. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) throws IOException {
      if (arguments.length > 0 && arguments[0].equals("serve")) {
        boolean ends =
            ManagementFactory.getRuntimeMXBean()
                .getInputArguments()
                .contains("-XX:+ExitOnOutOfMemoryError");
        System.out.println(ends ? "serves, and ends without memory" : "serves");
        System.in.read();
      }
      System.out.println(Late.word());
    }
  }

  /** In the jar, too. */
  static final class Late {
    private Late() {}

    static String word() {
      return "done";
    }
  }

  @TempDir private Path home;
  private Path source;
  private Path builds;
  private Path built;

  @BeforeEach
  void makeTree() throws IOException {
    Files.copy(ComposeFile.FOLDER.resolveSibling(SCRIPT), home.resolve(SCRIPT));
    source = home.resolve("modules/lab/src/main/Source.java");
    Files.createDirectories(source.getParent());
    built = home.resolve("modules/lab/target/pocketwatch-lab.jar");
    builds = home.resolve("builds");
    for (Path each :
        List.of(home.resolve("pom.xml"), home.resolve("modules/lab/pom.xml"), source)) {
      Files.writeString(each, "");
    }
    jar(home.resolve("one.jar"), "x".repeat(10_000));
    jar(home.resolve("other.jar"), "");
    Path maven = home.resolve("bin/mvn");
    Files.createDirectories(maven.getParent());
    // Like the real one: in place, and not at all if it would be the same again.
    Files.writeString(
        maven,
        """
        #!/bin/sh
        cd "$POCKETWATCH_HOME" || exit 1
        echo built >>builds
        mkdir -p modules/lab/target
        cmp -s next.jar modules/lab/target/pocketwatch-lab.jar && exit 0
        cat next.jar >modules/lab/target/pocketwatch-lab.jar
        """);
    Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwxr-xr-x"));
    nextIs("one.jar");
  }

  @Test
  void builds_once_for_each_change_even_if_the_jar_stays_the_same() throws Exception {
    assertThat(run()).containsExactly("done");
    assertThat(run()).containsExactly("done");
    assertThat(Files.readAllLines(builds)).hasSize(1);
    Instant before = Files.getLastModifiedTime(built).toInstant();

    touch(source);
    assertThat(run()).containsExactly("done");
    assertThat(run()).containsExactly("done");

    assertThat(Files.readAllLines(builds)).hasSize(2);
    assertThat(Files.getLastModifiedTime(built).toInstant()).isAfter(before);
  }

  @Test
  void a_jar_that_was_built_by_hand_is_taken_as_it_is() throws Exception {
    assertThat(run()).containsExactly("done");
    nextIs("other.jar");
    Files.copy(home.resolve("next.jar"), built, StandardCopyOption.REPLACE_EXISTING);
    touch(built);
    assertThat(run()).containsExactly("done");
    assertThat(Files.readAllLines(builds)).hasSize(1);
    assertThat(running()).hasSameBinaryContentAs(built);
  }

  @Test
  void what_runs_goes_on_when_it_is_built_anew() throws Exception {
    run();
    Process server = start("serve");
    await().atMost(Duration.ofSeconds(60)).until(() -> server.getInputStream().available() > 0);
    nextIs("other.jar");
    touch(source);
    assertThat(run()).containsExactly("done");
    assertThat(Files.size(built)).isEqualTo(Files.size(home.resolve("other.jar")));

    try (OutputStream in = server.getOutputStream()) {
      in.write('\n');
    }
    assertThat(lines(server)).containsExactly("serves, and ends without memory", "done");
    assertThat(server.exitValue()).isZero();
  }

  @Test
  void several_at_the_same_time_build_once_and_leave_nothing_behind() throws Exception {
    List<Process> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      all.add(start("--version"));
    }
    for (Process each : all) {
      assertThat(lines(each)).containsExactly("done");
    }
    assertThat(Files.readAllLines(builds)).hasSize(1);
    try (Stream<Path> files = Files.list(built.getParent())) {
      assertThat(files).containsExactlyInAnyOrder(built, running());
    }
  }

  @Test
  void a_build_that_fails_is_told_and_starts_nothing() throws Exception {
    run();
    Files.writeString(home.resolve("bin/mvn"), "#!/bin/sh\necho no good\nexit 1\n");
    touch(source);
    Process process = start("--version");
    assertThat(lines(process)).isEmpty();
    assertThat(process.exitValue()).isEqualTo(1);
    assertThat(Files.readString(home.resolve("errors"))).contains("no good", "the build failed");
  }

  private Path running() {
    return built.resolveSibling("pocketwatch-lab-running.jar");
  }

  private void nextIs(String jar) throws IOException {
    Files.copy(home.resolve(jar), home.resolve("next.jar"), StandardCopyOption.REPLACE_EXISTING);
  }

  /** By the file system's clock: on another day (.ci/any-day) the JVM's is not the same. */
  private void touch(Path file) throws IOException {
    Path now = home.resolve("now");
    await() // where times are coarse
        .until(
            () -> {
              Files.writeString(now, "");
              return Files.getLastModifiedTime(now).compareTo(Files.getLastModifiedTime(built)) > 0;
            });
    Files.setLastModifiedTime(file, Files.getLastModifiedTime(now));
  }

  private List<String> run() throws Exception {
    return lines(start("--version"));
  }

  private static List<String> lines(Process process) throws Exception {
    List<String> lines =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .toList();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return lines;
  }

  private Process start(String... arguments) throws IOException {
    List<String> line = new ArrayList<>(List.of("bash", home.resolve(SCRIPT).toString()));
    line.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(line)
            .redirectError(ProcessBuilder.Redirect.appendTo(home.resolve("errors").toFile()));
    Map<String, String> environment = builder.environment();
    environment.put("PATH", home.resolve("bin") + ":" + environment.get("PATH"));
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("POCKETWATCH_HOME", home.toString());
    environment.remove("POCKETWATCH_JAVA_OPTS");
    return builder.start();
  }

  private static void jar(Path file, String padding) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, Program.class.getName());
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file), manifest)) {
      jar.setLevel(0);
      jar.putNextEntry(new JarEntry("padding"));
      jar.write(padding.getBytes(StandardCharsets.UTF_8));
      for (Class<?> each : List.of(Program.class, Late.class)) {
        String name = each.getName().replace('.', '/') + ".class";
        jar.putNextEntry(new JarEntry(name));
        try (var in = each.getClassLoader().getResourceAsStream(name)) {
          jar.write(in.readAllBytes());
        }
      }
    }
  }
}
