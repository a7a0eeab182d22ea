// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** A folder with a {@code pom.xml}, built and started by Maven as its owner would do it. */
final class Application {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final String TREE = "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:tree";
  private static final String CLASS_PATH =
      "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath";
  private static final String MODEL =
      "org.apache.maven.plugins:maven-help-plugin:3.5.1:effective-pom";

  /** A line of the tree: group, name, type, perhaps a classifier, version, scope. */
  private static final Pattern TAKEN =
      Pattern.compile("[ -] ([\\w.-]+:[\\w.-]+):jar:((?:[\\w.-]+:)?[\\w.-]+:[a-z]+)");

  /** The same where a management decides: what was asked for, also by those that are left out. */
  private static final Pattern ASKED =
      Pattern.compile("([\\w.-]+:[\\w.-]+):jar:.*version managed from ([\\w.-]+)");

  private final Path folder;
  private final List<String> options;

  private Application(Path folder, List<String> options) {
    this.folder = folder;
    this.options = options;
  }

  /** One that takes Pocketwatch as it is installed there. */
  static Application of(Installation installation, String name, String pom) throws IOException {
    return of(installation.folder().resolve(name), installation.options(), pom);
  }

  /** One without Pocketwatch, which any build may have in its local repository. */
  static Application without(Installation installation, String name, String pom)
      throws IOException {
    return of(
        installation.folder().resolve(name),
        List.of("-B", "-ntp", "-Dmaven.repo.local=" + Installation.OF_THIS_BUILD),
        pom);
  }

  private static Application of(Path folder, List<String> options, String pom) throws IOException {
    return new Application(folder, options).file("pom.xml", pom);
  }

  Application file(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    return this;
  }

  /** Compiles it, runs its tests, and {@link #resolve}s. */
  Application test() throws Exception {
    return resolve("test");
  }

  /** Fetches its dependencies, and asks Maven what it makes of the POM; after these goals. */
  Application resolve(String... before) throws Exception {
    List<String> line = new ArrayList<>(List.of("mvn"));
    line.addAll(List.of(before));
    line.addAll(List.of(TREE, CLASS_PATH, MODEL));
    line.addAll(options);
    line.add("-DoutputFile=" + output("tree"));
    line.add("-Dverbose");
    line.add("-Dmdep.outputFile=" + output("class-path"));
    line.add("-DincludeScope=runtime");
    line.add("-Doutput=" + output("model"));
    Process process = start("build", line);
    try {
      assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(printed("build")).isZero();
    } finally {
      end(process);
    }
    return this;
  }

  /** Starts it with Maven, and ends it when it has printed this. */
  void printsWith(String goal, String argument, String text) throws IOException {
    List<String> line = new ArrayList<>(List.of("mvn", "-q", goal, argument));
    line.addAll(options);
    prints(line, text);
  }

  /** Starts it without Maven, after {@link #test}. */
  void prints(String main, String argument, String text) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classPath = "target/classes:" + Files.readString(output("class-path")).strip();
    prints(List.of(java, "-cp", classPath, main, argument), text);
  }

  private void prints(List<String> line, String text) throws IOException {
    Process process = start("run", line);
    try {
      await().atMost(PATIENCE).until(() -> printed("run").contains(text) || !process.isAlive());
      assertThat(printed("run")).contains(text);
    } finally {
      end(process);
    }
  }

  /** Its dependencies with version and scope, after {@link #resolve}. */
  Map<String, String> dependencies() throws IOException {
    return tree(TAKEN)
        .collect(
            Collectors.toMap(
                found -> found.group(1),
                found -> found.group(2),
                (one, other) -> one + " " + other));
  }

  /** The versions that dependencies ask for, where a management decides, after {@link #resolve}. */
  Map<String, Set<String>> asked() throws IOException {
    return tree(ASKED)
        .collect(
            Collectors.groupingBy(
                found -> found.group(1),
                Collectors.mapping(found -> found.group(2), Collectors.toSet())));
  }

  private Stream<MatchResult> tree(Pattern pattern) throws IOException {
    return pattern.matcher(Files.readString(output("tree"))).results();
  }

  /** What its {@code dependencyManagement} says, imports resolved, after {@link #resolve}. */
  Map<String, String> managed() throws Exception {
    Document model =
        DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(output("model").toFile());
    NodeList all = model.getElementsByTagName("dependencyManagement");
    Map<String, String> managed = new TreeMap<>();
    for (Element each : children(children((Element) all.item(0)).get(0))) {
      Map<String, String> said =
          children(each).stream()
              .collect(Collectors.toMap(Element::getTagName, Element::getTextContent));
      managed.put(
          String.join(
              ":",
              said.get("groupId"),
              said.get("artifactId"),
              said.getOrDefault("classifier", ""),
              said.getOrDefault("type", "jar")),
          said.get("version"));
    }
    return managed;
  }

  private static List<Element> children(Element element) {
    List<Element> children = new ArrayList<>();
    NodeList all = element.getChildNodes();
    for (int i = 0; i < all.getLength(); i++) {
      if (all.item(i) instanceof Element each) {
        children.add(each);
      }
    }
    return children;
  }

  private Process start(String step, List<String> line) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(line)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output(step).toFile());
    // Each Maven lives for seconds.
    builder
        .environment()
        .merge("MAVEN_OPTS", "-XX:TieredStopAtLevel=1", (one, other) -> one + " " + other);
    return builder.start();
  }

  private Path output(String step) {
    return folder.resolve(step + ".txt");
  }

  private String printed(String step) throws IOException {
    return Files.readString(output(step));
  }

  private static void end(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
