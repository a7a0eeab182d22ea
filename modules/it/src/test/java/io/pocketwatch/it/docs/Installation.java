// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it.docs;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A local repository of its own, with the files that {@code mvn install} puts there: the jars of
 * this build, and the POMs that it has made of those in the sources. What others have written comes
 * from the local repository of this build, and from where Maven finds the rest.
 */
record Installation(Path folder, Path repository, Path settings) {
  private static final String PUBLISHED = "<maven.deploy.skip>false</maven.deploy.skip>";

  /** Surefire says so; by default it is {@code ~/.m2/repository}. */
  static final Path OF_THIS_BUILD = Path.of(System.getProperty("localRepository"));

  static Installation in(Path folder) throws IOException {
    Path repository = folder.resolve("repository");
    Path settings = folder.resolve("settings.xml");
    Files.createDirectories(folder.resolve(".mvn")); // the options of our own build end here
    Files.writeString(settings, settingsXml());
    for (Path module : published()) {
      install(module, repository);
    }
    return new Installation(folder, repository, settings);
  }

  /** Options for Maven, which finds our modules there and nowhere else. */
  List<String> options() {
    return List.of("-B", "-ntp", "-gs", settings.toString(), "-Dmaven.repo.local=" + repository);
  }

  /** The first element of that name in one of our POMs, such as the version of a library. */
  static String property(String pom, String name) throws IOException {
    Matcher matcher =
        Pattern.compile("<" + Pattern.quote(name) + ">(.+?)<").matcher(Pages.text(Path.of(pom)));
    if (!matcher.find()) {
      throw new IOException(pom + " has no " + name);
    }
    return matcher.group(1);
  }

  private static List<Path> published() throws IOException {
    try (Stream<Path> modules = Files.list(Pages.ROOT.resolve("modules"))) {
      return modules.filter(Installation::isPublished).sorted().toList();
    }
  }

  private static boolean isPublished(Path module) {
    try {
      Path pom = module.resolve("pom.xml");
      return Files.exists(pom) && Files.readString(pom).contains(PUBLISHED);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void install(Path module, Path repository) throws IOException {
    String artifact = "pocketwatch-" + Objects.requireNonNull(module.getFileName());
    String version = property("pom.xml", "version");
    String file = artifact + "-" + version;
    Path pom = module.resolve("target/published-pom.xml");
    if (!Files.exists(pom)) {
      throw new IOException(pom + " is missing: build all modules, not this one alone");
    }
    Path target = repository.resolve("io/pocketwatch").resolve(artifact).resolve(version);
    Files.createDirectories(target);
    Files.copy(pom, target.resolve(file + ".pom"), REPLACE_EXISTING);
    if (!Files.readString(pom).contains("<packaging>pom</packaging>")) {
      Path jar = module.resolve("target/" + file + ".jar");
      Files.copy(jar, target.resolve(file + ".jar"), REPLACE_EXISTING);
    }
  }

  private static String settingsXml() {
    String repository =
        """
        <id>this-build</id>
        <url>%s</url>
        <releases><checksumPolicy>ignore</checksumPolicy></releases>
        <snapshots><enabled>false</enabled></snapshots>
        """
            .formatted(OF_THIS_BUILD.toUri());
    return """
        <settings>
          <profiles>
            <profile>
              <id>this-build</id>
              <repositories><repository>%s</repository></repositories>
              <pluginRepositories><pluginRepository>%s</pluginRepository></pluginRepositories>
            </profile>
          </profiles>
          <activeProfiles><activeProfile>this-build</activeProfile></activeProfiles>
        </settings>
        """
        .formatted(repository, repository);
  }
}
